import { expect, it } from "vitest";
import { openerOf } from "./open.ts";

it.each([
  ["linux", { DISPLAY: ":0" }, ["xdg-open"]],
  ["linux", { WAYLAND_DISPLAY: "wayland-0" }, ["xdg-open"]],
  ["linux", {}, undefined],
  ["linux", { BROWSER: "/opt/editor/browser.sh" }, ["/opt/editor/browser.sh"]],
  ["darwin", {}, ["open"]],
  ["win32", {}, ["rundll32", "url.dll,FileProtocolHandler"]],
] as const)("on %s with %j it opens a page by %j", (platform, env, opener) => {
  expect(openerOf(platform, env)).toEqual(opener);
});
