import { render } from "preact";
import { watchTheme } from "../plot/palette";
import { App } from "./App";
import { startRouting } from "./route";

startRouting();
watchTheme();
render(<App />, document.getElementById("page")!);
