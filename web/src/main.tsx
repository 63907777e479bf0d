import { render } from "preact";
import { App } from "./app/App";
import { startRouting } from "./app/route";
import { watchTheme } from "./plot/palette";
import "uplot/dist/uPlot.min.css";
import "./styles/page.css";

startRouting();
watchTheme();
render(<App />, document.getElementById("page")!);
