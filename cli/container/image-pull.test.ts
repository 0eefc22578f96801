import { expect, it } from "vitest";
import { createPullProgress } from "./image-pull.ts";
import { registryOf } from "./registry-credentials.ts";

it("sums layers and bytes of a pull", () => {
  const progress = createPullProgress("base:1");
  expect(progress({ status: "Pulling from library/base", id: "1" })).toBe("Pulling base:1");
  progress({ status: "Pulling fs layer", id: "aa" });
  expect(progress({ status: "Already exists", id: "bb" })).toBe(
    "Pulling base:1: 1 of 2 layers, 0.0 of 0.0 MB",
  );
  expect(
    progress({ status: "Downloading", id: "aa", progressDetail: { current: 1_500_000, total: 6_000_000 } }),
  ).toBe("Pulling base:1: 1 of 2 layers, 1.5 of 6.0 MB");
  expect(progress({ status: "Download complete", id: "aa" })).toBe(
    "Pulling base:1: 1 of 2 layers, 6.0 of 6.0 MB",
  );
  expect(progress({ status: "Extracting", id: "aa", progressDetail: { current: 1, total: 2 } })).toContain(
    "1 of 2",
  );
  expect(progress({ status: "Pull complete", id: "aa" })).toBe(
    "Pulling base:1: 2 of 2 layers, 6.0 of 6.0 MB",
  );
});

it("finds the registry of a reference under the key of docker login", () => {
  expect(registryOf("node:22")).toBe("https://index.docker.io/v1/");
  expect(registryOf("functez/sandbox:1")).toBe("https://index.docker.io/v1/");
  expect(registryOf("docker.io/functez/sandbox")).toBe("https://index.docker.io/v1/");
  expect(registryOf("ghcr.io/functez/sandbox")).toBe("ghcr.io");
  expect(registryOf("localhost:5000/sandbox")).toBe("localhost:5000");
});
