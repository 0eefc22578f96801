// A price that others read, updated on a schedule. A function has no timers, and its date stands still: somebody calls
// /tick as often as they like, and the time of the source decides whether an update is due.

interface Reading {
  /** Seconds since 1970, as the source says. */
  readonly time: number;
  readonly price: number;
}
interface Settings {
  readonly owner: string;
  readonly source: string;
  /** Seconds between two readings. */
  readonly interval: number;
}

const KEPT = 10;

async function configure(request: Request, caller: string): Promise<Response> {
  const known = Kv.get<Settings & KvValue>("settings");
  if (known !== null && known.owner !== caller) return new Response("not the owner", { status: 403 });
  const { source, interval } = (await request.json()) as Partial<Settings>;
  if (typeof source !== "string" || !/^https?:\/\//.test(source))
    return new Response("source: a URL", { status: 400 });
  if (typeof interval !== "number" || !(interval >= 1))
    return new Response("interval: seconds", { status: 400 });
  Kv.set("settings", { owner: caller, source, interval } satisfies Settings);
  return Response.json({ source, interval });
}

async function readingOf(source: string): Promise<Reading | undefined> {
  const answer = await fetch(source);
  if (!answer.ok) return undefined;
  const { time, price } = (await answer.json().catch(() => ({}))) as Partial<Reading>;
  if (typeof time !== "number" || typeof price !== "number" || !(price > 0)) return undefined;
  return { time, price };
}

async function tick(source: string): Promise<Response> {
  if (!/^https?:\/\//.test(source)) return new Response("source: a URL", { status: 400 });
  // The request comes first: after an access to Kv there is none. So the caller names the source, and is checked below.
  const reading = await readingOf(source);
  const settings = Kv.get<Settings & KvValue>("settings");
  if (settings === null || settings.source !== source) return new Response("not the source", { status: 403 });
  if (reading === undefined) return new Response("the source gives no price", { status: 502 });
  const history = Kv.get<readonly (Reading & KvValue)[]>("history") ?? [];
  const due = (history.at(-1)?.time ?? -Infinity) + settings.interval;
  if (reading.time < due) return Response.json({ updated: false, next: due });
  Kv.set("history", [...history, reading].slice(-KEPT));
  return Response.json({ updated: true, next: reading.time + settings.interval });
}

export default async function handler(request: Request): Promise<Response> {
  const url = new URL(request.url);
  const caller = request.headers.get("Referer") ?? "";
  switch (`${request.method} ${url.pathname}`) {
    case "POST /configure":
      return configure(request, caller);
    case "POST /tick":
      return tick(url.searchParams.get("source") ?? "");
    case "GET /price": {
      const latest = Kv.get<readonly (Reading & KvValue)[]>("history")?.at(-1);
      return latest === undefined ? new Response("no price yet", { status: 404 }) : Response.json(latest);
    }
    case "GET /history":
      return Response.json(Kv.get("history") ?? []);
    default:
      return new Response("Not Found", { status: 404 });
  }
}
