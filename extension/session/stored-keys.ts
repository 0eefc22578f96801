// All keys of a smart function's store that have a value: the node lists one level at a time.
import type { RuntimeClient } from "../../daemon/client/runtime-client.ts";

/** Requests at a time. */
const AT_ONCE = 16;

/**
 * @param most keys to find, and levels to read
 * @returns keys in order, at most `most`; `isWhole` tells whether these are all
 * @throws SandboxError
 */
export async function storedKeys(
  runtime: Pick<RuntimeClient, "subkeys">,
  address: string,
  most: number,
): Promise<{ readonly keys: readonly string[]; readonly isWhole: boolean }> {
  const keys: string[] = [];
  const waiting: (string | undefined)[] = [undefined];
  for (let asked = 0; waiting.length > 0 && asked < most;) {
    const now = waiting.splice(0, Math.min(AT_ONCE, most - asked));
    asked += now.length;
    const names = await Promise.all(now.map((key) => runtime.subkeys(address, key)));
    now.forEach((key, i) => {
      for (const name of names[i] ?? []) {
        // A key with a value is an empty name among its own children.
        if (name === "" && key !== undefined) keys.push(key);
        else if (name !== "") waiting.push(key === undefined ? name : `${key}/${name}`);
      }
    });
  }
  return { keys: keys.sort(), isWhole: waiting.length === 0 };
}
