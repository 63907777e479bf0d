// The first and small part: asks the API for what the address names while the browser still reads
// the program, which is the second part.
import { askAhead, dropAheadSoon } from "./api/ahead";
import { parseHash } from "./app/hash";
import { openingAddresses } from "./app/opening";
import "uplot/dist/uPlot.min.css";
import "./styles/page.css";

askAhead(openingAddresses(parseHash(location.hash)));
void import("./app/start").then(dropAheadSoon);
