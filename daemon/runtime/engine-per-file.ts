// Set-up of vitest for each file of tests that may start an engine: they share a process.
import { afterAll } from "vitest";
import { forgetEngine } from "./engine/test-engine.ts";

afterAll(forgetEngine);
