import { expect, it } from "vitest";
import { childEnvironment } from "./child-environment.ts";

it("makes the editor's binary run scripts as plain Node, even when the host lacks the variable", () => {
  expect(childEnvironment({ PATH: "/bin" })).toEqual({ PATH: "/bin", ELECTRON_RUN_AS_NODE: "1" });
});

it("drops variables that would make a child wait for a debugger or open a window", () => {
  const env = {
    NODE_OPTIONS: "--inspect-brk",
    VSCODE_PID: "1",
    ELECTRON_NO_ATTACH_CONSOLE: "1",
    HOME: "/home/a",
  };
  expect(childEnvironment(env, { FUNCTEZ_SANDBOX_URL: "http://127.0.0.1:1" })).toEqual({
    HOME: "/home/a",
    FUNCTEZ_SANDBOX_URL: "http://127.0.0.1:1",
    ELECTRON_RUN_AS_NODE: "1",
  });
});
