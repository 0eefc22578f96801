// The explorer: a window into the sandbox, served by sandboxd. This file puts the page together.
import "./style/app.css";
import { render } from "preact";
import { Shell } from "./shell.tsx";
import { follow } from "./state/live.ts";

const root = document.getElementById("app")!;
root.replaceChildren();
render(<Shell />, root);
follow();
