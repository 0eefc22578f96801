// Notes for each caller with Hono: a router, parameters, middleware and error handling from npm, bundled on deploy.
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";

interface Note {
  readonly id: number;
  readonly text: string;
}

const MAX_TEXT = 1000;

const app = new Hono<{ Variables: { key: string } }>();

app.use("/notes/*", async (context, next) => {
  // The runtime sets `Referer` to the caller: each has notes of its own.
  context.set("key", `notes/${context.req.header("Referer")}`);
  await next();
  context.header("cache-control", "no-store");
});

const notesAt = (key: string): readonly Note[] => Kv.get<readonly Note[]>(key) ?? [];

app.get("/notes", (context) => context.json(notesAt(context.get("key"))));

app.post("/notes", async (context) => {
  const { text } = await context.req.json<{ text?: unknown }>();
  if (typeof text !== "string" || text.trim() === "" || text.length > MAX_TEXT)
    throw new HTTPException(422, { message: `text: 1 to ${MAX_TEXT} characters` });
  const key = context.get("key");
  const notes = notesAt(key);
  const note = { id: (notes.at(-1)?.id ?? 0) + 1, text };
  Kv.set(key, [...notes, note]);
  return context.json(note, 201);
});

app.delete("/notes/:id{[0-9]+}", (context) => {
  const key = context.get("key");
  const id = Number(context.req.param("id"));
  const notes = notesAt(key);
  const rest = notes.filter((note) => note.id !== id);
  if (rest.length === notes.length) throw new HTTPException(404, { message: "no such note" });
  Kv.set(key, rest);
  return context.body(null, 204);
});

app.onError((error, context) =>
  error instanceof HTTPException
    ? context.json({ error: error.message }, error.status)
    : context.json({ error: "internal" }, 500),
);

export default (request: Request): Response | Promise<Response> => app.fetch(request);
