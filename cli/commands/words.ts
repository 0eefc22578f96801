// `functez words <kind>`: completion words that only this user's files and sandbox know, one per line. Shells run it at
// each TAB, so it never warns, waits for long or fails.
import { BOOTSTRAP_ACCOUNTS, SANDBOX_NETWORK } from "../../daemon/protocol/constants.ts";
import { WORD_KINDS, type WordKind } from "../completions/command-table.ts";
import { sandboxClient } from "../config/network.ts";
import type { CliContext } from "../context.ts";

/**
 * Aliases, networks and snapshots have this form. Others, which may come from whatever program holds the sandbox's port or
 * from a file edited by hand, would be commands to a shell.
 */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}\/?$/;

export async function showWords(context: CliContext, kind: string): Promise<void> {
  const all = isKind(kind) ? await wordsOf(context, kind).catch(() => []) : [];
  const words = all.filter((word) => PLAIN.test(word));
  if (words.length > 0) context.terminal.print(words.join("\n"));
  context.terminal.data({ words });
}

const isKind = (text: string): text is WordKind => (WORD_KINDS as readonly string[]).includes(text);

async function wordsOf(context: CliContext, kind: WordKind): Promise<string[]> {
  if (kind === "snapshots") {
    const list = await sandboxClient(context).snapshots();
    return list.map(({ id }) => id);
  }
  const { accounts, networks } = await context.config.read();
  const all = Object.entries(accounts);
  const users = all.filter(([, entry]) => "User" in entry).map(([alias]) => alias);
  const functions = all.filter(([, entry]) => "SmartFunction" in entry).map(([alias]) => alias);
  const bootstrap = BOOTSTRAP_ACCOUNTS.map(({ label }) => label);
  switch (kind) {
    case "users":
      return users;
    case "aliases":
      return all.map(([alias]) => alias);
    case "functions":
      return functions;
    case "calls":
      return functions.map((alias) => `${alias}/`);
    case "senders":
      return [...bootstrap, ...users];
    case "accounts":
      return [...bootstrap, ...users, ...functions];
    case "networks":
      return [SANDBOX_NETWORK, ...Object.keys(networks)];
  }
}
