// A terminal for tests: the one of `script` (util-linux), 80 columns wide unless told otherwise.
import { spawn } from "node:child_process";
import { until } from "./processes.ts";

export interface OnTerminal {
  /** All that the terminal has shown so far. */
  output(): string;
  shows(text: RegExp): Promise<void>;
  type(keys: string): void;
  readonly ended: Promise<number | null>;
  /** Takes the terminal away, and so ends what runs on it. */
  end(): void;
}

/** Starts a program on a terminal of its own. */
export function onTerminal(
  words: readonly string[],
  {
    env,
    cwd,
    columns = 80,
  }: { readonly env: NodeJS.ProcessEnv; readonly cwd: string; readonly columns?: number },
): OnTerminal {
  const line = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  // A person's terminal, also on a machine that runs tests: there spinners say nothing.
  const own = Object.fromEntries(
    Object.entries(env).filter(([name]) => name !== "NO_COLOR" && name !== "CI"),
  );
  const child = spawn("script", ["-qec", `stty cols ${columns}; exec ${line}`, "/dev/null"], {
    cwd,
    env: { ...own, TERM: "xterm" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return {
    output: () => output,
    shows: (text) =>
      until(`${line} shows ${text}`, 20_000, () => text.test(output)).catch((error: Error) => {
        throw new Error(`${error.message}; it shows:\n${output}`);
      }),
    end: () => void child.kill("SIGKILL"),
    type: (keys) => child.stdin.write(keys),
    ended: new Promise((resolve) => child.once("close", resolve)),
  };
}
