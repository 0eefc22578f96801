// A JSON API whose requests are validated by a schema: tasks that the caller adds, changes, filters and removes.
import * as z from "zod/mini";

const title = z.string().check(z.trim(), z.minLength(1), z.maxLength(200));
const newTask = z.strictObject({ title, priority: z._default(z.enum(["low", "normal", "high"]), "normal") });
const change = z.strictObject({ title: z.optional(title), done: z.optional(z.boolean()) });
const query = z.object({
  done: z.optional(z.enum(["true", "false"])),
  limit: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(100)), 20),
});

type Task = z.infer<typeof newTask> & { readonly id: number; readonly done: boolean };

class Problem extends Error {
  readonly status: number;
  readonly details: unknown;
  constructor(status: number, message: string, details?: unknown) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

function valid<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({ at: path.join("."), message }));
  throw new Problem(422, "the request is not valid", issues);
}

async function bodyOf(request: Request): Promise<unknown> {
  try {
    return await request.json();
  } catch {
    throw new Problem(400, "the body is not JSON");
  }
}

const MAX_TASKS = 1000;

async function answer(request: Request): Promise<Response> {
  const url = new URL(request.url);
  const key = `tasks/${request.headers.get("Referer")}`;
  const tasks = Kv.get<readonly Task[]>(key) ?? [];
  const id = /^\/tasks\/(\d{1,9})$/.exec(url.pathname)?.[1];

  if (url.pathname === "/tasks" && request.method === "GET") {
    const { done, limit } = valid(query, Object.fromEntries(url.searchParams));
    const wanted = tasks.filter((task) => done === undefined || String(task.done) === done);
    return Response.json({ total: wanted.length, tasks: wanted.slice(0, limit) });
  }
  if (url.pathname === "/tasks" && request.method === "POST") {
    if (tasks.length >= MAX_TASKS) throw new Problem(409, "there are too many tasks");
    const task = { ...valid(newTask, await bodyOf(request)), id: (tasks.at(-1)?.id ?? 0) + 1, done: false };
    Kv.set(key, [...tasks, task]);
    return Response.json(task, { status: 201, headers: { location: `/tasks/${task.id}` } });
  }
  const task = tasks.find((one) => String(one.id) === id);
  if (task === undefined) throw new Problem(404, "not found");
  switch (request.method) {
    case "GET":
      return Response.json(task);
    case "PATCH": {
      const changed = { ...task, ...valid(change, await bodyOf(request)) };
      Kv.set(
        key,
        tasks.map((one) => (one === task ? changed : one)),
      );
      return Response.json(changed);
    }
    case "DELETE":
      Kv.set(
        key,
        tasks.filter((one) => one !== task),
      );
      return new Response(null, { status: 204 });
    default:
      throw new Problem(405, "use GET, PATCH or DELETE");
  }
}

export default async function handler(request: Request): Promise<Response> {
  try {
    return await answer(request);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return Response.json({ error: error.message, details: error.details }, { status: error.status });
  }
}
