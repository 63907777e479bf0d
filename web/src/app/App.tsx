// The frame around the views.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { CompareView } from "../compare/CompareView";
import { RunList } from "../list/RunList";
import { RunView } from "../run/RunView";
import { Help } from "./Help";
import { handleKey, useKeys } from "./keys";
import { useClosingMenus } from "./menus";
import { place, route, toHash } from "./route";

function View() {
  const [name, id] = route.value.path;
  if (name === "run" && id) return <RunView key={id} id={id} />;
  if (name === "compare") return <CompareView key={route.value.query.get("ids") ?? ""} />;
  if (!name || name === "runs") return <RunList />;
  return <main><p class="nothing">There is no such page. <a href="#/runs">All runs</a></p></main>;
}

export function App() {
  const help = useSignal(false);
  useEffect(() => {
    addEventListener("keydown", handleKey);
    return () => removeEventListener("keydown", handleKey);
  }, []);
  useClosingMenus();
  useKeys({ "?": () => (help.value = !help.peek()) });
  useEffect(() => {
    const [name, id] = route.peek().path;
    document.title = name === "run" && id ? `${id} – flatout` : name === "compare" ? "Compare – flatout" : "Runs – flatout";
  }, [place.value]);
  return (
    <>
      <header class="top">
        <a href={toHash(["runs"])} class="brand">flatout</a>
        <nav aria-label="Places"><a href={toHash(["runs"])}>Runs</a></nav>
        <button type="button" onClick={() => (help.value = true)} aria-label="Keys and queries" aria-keyshortcuts="?">?</button>
      </header>
      <View />
      <Help open={help.value} close={() => (help.value = false)} />
    </>
  );
}
