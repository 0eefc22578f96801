// The sandbox's image: the local one if present, otherwise pulled if a published one is named, otherwise built from the
// installed package, so that we need no registry.
import type { ImageInfo } from "dockerode";
import { VERSION } from "../../daemon/protocol/constants.ts";
import { reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";
import type { Step, Terminal } from "../render/terminal.ts";
import { engineReason, statusOf } from "./engine-failure.ts";
import type { Engine } from "./engine.ts";
import { type ImageContext, readImageContext } from "./image-context.ts";
import { pullImage } from "./image-pull.ts";
import { readProgress } from "./ndjson.ts";

export const IMAGE_REPOSITORY = "functez/sandbox";
/** Image built here, named after the version. */
export const OWN_IMAGE = `${IMAGE_REPOSITORY}:${VERSION}`;
/** Label of images built here: fingerprint of their files. */
export const BUILD_LABEL = "functez.build";
/** Label set by the Dockerfile's first line, so images of unfinished builds have it too. */
const HALF_LABEL = "org.opencontainers.image.title=functez sandbox";
export const DEFAULT_BASE = "node:22-bookworm-slim";

/** Environment variables: an image to use instead of building, and the base image of a build. */
const IMAGE_VARIABLE = "FUNCTEZ_IMAGE";
const BASE_VARIABLE = "FUNCTEZ_BASE_IMAGE";

export interface ImageOptions {
  readonly distFolder: string;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly env: NodeJS.ProcessEnv;
  /** Published image, from `--image`. */
  readonly image: string | undefined;
}

/**
 * Ensures that the image exists and fits the engine.
 * @returns its reference
 * @throws SandboxError IMAGE_UNAVAILABLE, IMAGE_ARCHITECTURE, CANCELLED
 */
export async function ensureImage(engine: Engine, options: ImageOptions): Promise<string> {
  const published = options.image || options.env[IMAGE_VARIABLE];
  return options.terminal.withStep(`Looking for ${published ?? OWN_IMAGE}`, async (step) => {
    if (published) {
      if (!(await inspectImage(engine, published))) await pullImage(engine, published, { ...options, step });
    } else {
      await ensureOwnImage(engine, options, step);
    }
    await checkArchitecture(engine, published ?? OWN_IMAGE);
    step.done();
    return published ?? OWN_IMAGE;
  });
}

async function ensureOwnImage(engine: Engine, options: ImageOptions, step: Step): Promise<void> {
  const context = readImageContext(options.distFolder);
  const present = await inspectImage(engine, OWN_IMAGE);
  const builtFrom = present?.Config.Labels?.[BUILD_LABEL];
  // An image of this name without our label was made or pulled by the user on purpose.
  if (present && (builtFrom === undefined || builtFrom === context.fingerprint)) return;
  try {
    const base = options.env[BASE_VARIABLE] || DEFAULT_BASE;
    if (!(await inspectImage(engine, base))) await pullImage(engine, base, { ...options, step });
    await checkArchitecture(engine, base);
    await buildImage(engine, { ...options, base, context, step });
    await removeImages(engine, await unnamedImages(engine, BUILD_LABEL)); // the previous build, which lost its name to this one
  } catch (error) {
    if (!present || options.signal.aborted) throw error;
    options.terminal.warn(`the image could not be rebuilt; an older build is used. ${reasonOf(error)}`);
  }
}

interface BuildOptions {
  readonly base: string;
  readonly context: ImageContext;
  readonly step: Step;
  readonly signal: AbortSignal;
}

async function buildImage({ docker }: Engine, { base, context, step, signal }: BuildOptions): Promise<void> {
  step.update(`Building ${OWN_IMAGE}`);
  try {
    const stream = await docker.buildImage(context.tar(), {
      t: OWN_IMAGE,
      buildargs: { BASE: base },
      labels: { [BUILD_LABEL]: context.fingerprint },
      forcerm: true,
      abortSignal: signal,
    });
    await readProgress(
      stream,
      ({ stream: output }) => {
        const [, number, all] = /^Step (\d+)\/(\d+)/i.exec(output ?? "") ?? [];
        if (all !== undefined) step.update(`Building ${OWN_IMAGE}: step ${number} of ${all}`);
      },
      signal,
    );
  } catch (error) {
    if (signal.aborted) throw new SandboxError("CANCELLED", { what: "Building the image" }, { cause: error });
    throw new SandboxError(
      "CONTAINER_FAILED",
      {
        what: `build ${OWN_IMAGE}`,
        reason: reasonOf(error).trim(),
        next: "docs/container.md explains how to build it by hand.",
      },
      { cause: error },
    );
  }
}

/** The image, or undefined when the engine lacks it. */
export async function inspectImage({ docker }: Engine, reference: string) {
  try {
    return await docker.getImage(reference).inspect();
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/** An image for another processor would be emulated: slow at best, broken at worst. */
async function checkArchitecture(engine: Engine, reference: string): Promise<void> {
  const image = await inspectImage(engine, reference);
  if (!image)
    throw new SandboxError("IMAGE_UNAVAILABLE", {
      image: reference,
      reason: "it disappeared in the meantime",
    });
  if (image.Architecture && image.Architecture !== engine.architecture) {
    throw new SandboxError("IMAGE_ARCHITECTURE", {
      image: reference,
      found: image.Architecture,
      expected: engine.architecture,
    });
  }
}

export interface PrunedImage {
  readonly id: string;
  readonly tags: readonly string[];
  readonly bytes: number;
}

/** An outdated image that the engine does not remove now. */
export interface KeptImage {
  readonly id: string;
  readonly tags: readonly string[];
  /** The engine's words. */
  readonly reason: string;
}

export interface Pruned {
  readonly removed: readonly PrunedImage[];
  readonly kept: readonly KeptImage[];
}

/** Removes outdated images built here, and leftovers of killed builds; images in use stay. */
export async function pruneImages(engine: Engine): Promise<Pruned> {
  const built = await engine.docker.listImages({ filters: { label: [BUILD_LABEL] } });
  const known = new Set(built.map(({ Id }) => Id));
  const halves = (await unnamedImages(engine, HALF_LABEL)).filter(({ Id }) => !known.has(Id));
  return removeImages(engine, [...built, ...halves]);
}

/** Labelled images without a name that no other image depends on. */
function unnamedImages({ docker }: Engine, label: string): Promise<ImageInfo[]> {
  return docker.listImages({ filters: { label: [label], dangling: ["true"] } });
}

/** Removes images, except the current one and those in use. */
async function removeImages({ docker }: Engine, images: readonly ImageInfo[]): Promise<Pruned> {
  const removed: PrunedImage[] = [];
  const kept: KeptImage[] = [];
  for (const { Id: id, RepoTags, Size: bytes } of images) {
    const tags = (RepoTags ?? []).filter((tag) => tag !== "<none>:<none>");
    if (tags.some(isOwnImage)) continue;
    try {
      for (const name of tags.length > 0 ? tags : [id]) await docker.getImage(name).remove();
      removed.push({ id, tags, bytes });
    } catch (error) {
      const status = statusOf(error);
      if (status === 409) kept.push({ id, tags, reason: engineReason(error) });
      else if (status !== 404) throw error; // 404: removed meanwhile
    }
  }
  return { removed, kept };
}

const isOwnImage = (tag: string): boolean => plainName(tag) === OWN_IMAGE;

/** A name as the user writes it: Podman prefixes names without a registry. */
export const plainName = (tag: string): string => tag.replace(/^(?:docker\.io|localhost)\//, "");
