// Each part alone, as operators start it: options that cannot be used end it, and a doubtful file is a line in its log.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BuiltCli, builtCli } from "./support/built-cli.ts";

let cli: BuiltCli;
beforeAll(() => {
  cli = builtCli();
});
afterAll(() => cli.dispose());

describe.concurrent.each(["layer1-node", "runtime-node"] as const)("%s on its own", (program) => {
  it.each([
    ["--endpoint", "foo bar"],
    ["--endpoint", "no.address:0"],
    ["--layer1-endpoint", "foo bar"],
    ["--log-level", "nonsense"],
  ])("ends with BAD_OPTION for %s %s", async (option, value) => {
    const running = cli.start(program, [option, value]);
    expect(await running.ended).toBe(1);
    expect(running.output()).toMatch(new RegExp(`^ERROR BAD_OPTION: ${option} `));
  });

  it("warns of an unknown key in its configuration file, and starts", async () => {
    const file = join(cli.configHome, `${program}.json`);
    writeFileSync(file, JSON.stringify({ layer1_node: { block_tmie: 2 } }));
    const elsewhere = program === "runtime-node" ? ["--layer1-endpoint", "127.0.0.1:9"] : [];
    const running = cli.start(program, [file, "--endpoint", "127.0.0.1:0", ...elsewhere]);
    const warning = JSON.parse(await running.line(/"level":"warn"/)) as { msg: string };
    expect(warning.msg).toContain("block_tmie");
    expect(JSON.parse(await running.line(/^\{"ready"/))).toMatchObject({ ready: true });
    running.child.kill();
    await running.ended;
  });
});
