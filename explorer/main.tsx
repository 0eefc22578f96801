// The explorer: a web page about the sandbox, served by sandboxd. This file assembles it.
import "./style/app.css";
import { render } from "preact";
import { Shell } from "./shell.tsx";
import { follow } from "./state/live.ts";

const root = document.getElementById("app")!;
root.replaceChildren();
render(<Shell />, root);
follow();
