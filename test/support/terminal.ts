// A terminal for tests: that of `script` (util-linux), 80 columns wide by default.
import { spawn } from "node:child_process";
import { until } from "./processes.ts";

export interface OnTerminal {
  /** All output of the terminal so far. */
  output(): string;
  shows(text: RegExp): Promise<void>;
  type(keys: string): void;
  readonly ended: Promise<number | null>;
  /** Closes the terminal, which ends the program on it. */
  end(): void;
}

/** Starts a program on its own terminal. */
export function onTerminal(
  words: readonly string[],
  {
    env,
    cwd,
    columns = 80,
  }: { readonly env: NodeJS.ProcessEnv; readonly cwd: string; readonly columns?: number },
): OnTerminal {
  const line = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  // Like a person's terminal, even in CI, where spinners would be silent.
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
