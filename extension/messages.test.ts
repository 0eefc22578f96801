import { expect, it } from "vitest";
import * as vscode from "vscode";
import { showError, showInput, withoutIcons, withoutLinks } from "./messages.ts";

it.each([
  "[Fix it](command:workbench.action.quit)",
  '[a](command:x?%5B%5D "title")',
  "[[b](https://evil.example)](file:///etc)",
])("leaves no link in %s", (text) => {
  // Matches links as the editor does in messages.
  const link = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;
  expect(link.test(text)).toBe(true);
  expect(link.test(withoutLinks(text))).toBe(false);
});

it("shows what the editor would hide", () => {
  expect(withoutLinks("safe\u202etxt\u00ad\u{e0041}")).toBe("safe\\u202etxt\\u00ad\\u{e0041}");
});

it("draws no icons that somebody else's text names", () => {
  expect(withoutIcons("$(error) a\u202eb $(")).toBe("\\$(error) a\\u202eb \\$(");
});

it("passes on text, options and buttons", async () => {
  const shown: unknown[] = [];
  (vscode.window as unknown as { showErrorMessage: unknown }).showErrorMessage = (...args: unknown[]) => {
    shown.push(args);
    return Promise.resolve("Yes");
  };
  expect(await showError("a [b](command:c)", { modal: true }, "Yes")).toBe("Yes");
  expect(shown).toEqual([["a [b] (command:c)", { modal: true }, "Yes"]]);
});

it("draws no links and icons in input boxes either", async () => {
  let box: vscode.InputBoxOptions | undefined;
  (vscode.window as unknown as { showInputBox: unknown }).showInputBox = (
    options: vscode.InputBoxOptions,
  ) => {
    box = options;
    return Promise.resolve("typed");
  };
  const text = "[a](command:c) $(error) \u202e";
  const plain = "[a] (command:c) \\$(error) \\u202e";
  const validateInput = (typed: string) => (typed === "" ? undefined : text);
  expect(await showInput({ title: text, prompt: text, value: text, validateInput })).toBe("typed");
  expect(box).toMatchObject({ title: "[a](command:c) $(error) \\u202e", prompt: plain, value: text });
  expect(box!.validateInput!("b")).toBe(plain);
  expect(box!.validateInput!("")).toBeUndefined();
});
