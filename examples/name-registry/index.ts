// A registry of names with a router and schema validation from npm: bundled on deploy.
import { AutoRouter, type IRequest, status } from "itty-router";
import { z } from "zod";

const registration = z.object({
  name: z.string().regex(/^[a-z0-9-]{3,32}$/, "use 3 to 32 of a-z, 0-9 and -"),
  about: z.string().max(280).default(""),
});

interface Entry {
  readonly owner: string;
  readonly about: string;
}

const keyOf = (name: string): string => `names/${name}`;
const callerOf = (request: IRequest): string => request.headers.get("Referer") ?? "";

const router = AutoRouter();

router
  .get("/names/:name", ({ params }) => {
    const name = params["name"] ?? "";
    const entry = /^[a-z0-9-]+$/.test(name) ? Kv.get<KvValue & Entry>(keyOf(name)) : null;
    return entry ?? status(404);
  })
  .post("/names", async (request) => {
    const parsed = registration.safeParse(await request.json());
    if (!parsed.success)
      return Response.json({ issues: parsed.error.issues.map(({ message }) => message) }, { status: 422 });
    const { name, about } = parsed.data;
    const owner = callerOf(request);
    const known = Kv.get<KvValue & Entry>(keyOf(name));
    if (known !== null && known.owner !== owner) return Response.json({ error: "taken" }, { status: 409 });
    Kv.set(keyOf(name), { owner, about } satisfies Entry);
    return Response.json({ name, owner, about }, { status: 201 });
  })
  .delete("/names/:name", (request) => {
    const name = request.params["name"] ?? "";
    const known = /^[a-z0-9-]+$/.test(name) ? Kv.get<KvValue & Entry>(keyOf(name)) : null;
    if (known === null) return status(404);
    if (known.owner !== callerOf(request)) return status(403);
    Kv.delete(keyOf(name));
    return new Response(null, { status: 204 });
  });

export default (request: Request): Promise<Response> => router.fetch(request);
