// Unique tokens with the entry points of FA2: transfer, update_operators, balance_of and the metadata. A batch moves
// everything or nothing.

interface Transfer {
  readonly from_: string;
  readonly txs: readonly { readonly to_: string; readonly token_id: number; readonly amount: number }[];
}
interface Operator {
  readonly owner: string;
  readonly operator: string;
  readonly token_id: number;
}
type OperatorUpdate = { readonly add_operator: Operator } | { readonly remove_operator: Operator };
interface Metadata {
  readonly name: string;
  readonly artifactUri: string;
}

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
  }
}

const ownerKey = (token: number): string => `owners/${token}`;
const operatorKey = ({ owner, operator, token_id: token }: Operator): string =>
  `operators/${owner}/${operator}/${token}`;

function ownerOf(token: number): string {
  const owner = Number.isSafeInteger(token) && token >= 0 ? Kv.get<string>(ownerKey(token)) : null;
  if (owner === null) throw new Refusal(404, "FA2_TOKEN_UNDEFINED");
  return owner;
}

/** Whoever mints first is the artist; nobody else mints. */
function mint(caller: string, { to, metadata }: { to: string; metadata: Metadata }): number {
  const artist = Kv.get<string>("artist");
  if (artist === null) Kv.set("artist", caller);
  else if (artist !== caller) throw new Refusal(403, "NOT_THE_ARTIST");
  const token = Kv.get<number>("next") ?? 0;
  Kv.set("next", token + 1);
  Kv.set(ownerKey(token), to);
  Kv.set(`metadata/${token}`, metadata);
  return token;
}

function transfer(caller: string, batch: readonly Transfer[]): void {
  for (const { from_: from, txs } of batch)
    for (const { to_: to, token_id: token, amount } of txs) {
      if (amount !== 0 && amount !== 1) throw new Refusal(400, "FA2_INSUFFICIENT_BALANCE");
      const owner = ownerOf(token);
      const isOperator = Kv.contains(operatorKey({ owner: from, operator: caller, token_id: token }));
      if (caller !== from && !isOperator) throw new Refusal(403, "FA2_NOT_OPERATOR");
      if (amount === 0) continue;
      if (owner !== from) throw new Refusal(400, "FA2_INSUFFICIENT_BALANCE");
      Kv.set(ownerKey(token), to);
    }
}

function updateOperators(caller: string, updates: readonly OperatorUpdate[]): void {
  for (const update of updates) {
    const operator = "add_operator" in update ? update.add_operator : update.remove_operator;
    if (operator.owner !== caller) throw new Refusal(403, "FA2_NOT_OWNER");
    ownerOf(operator.token_id);
    if ("add_operator" in update) Kv.set(operatorKey(operator), true);
    else Kv.delete(operatorKey(operator));
  }
}

const balanceOf = (requests: readonly { owner: string; token_id: number }[]): object[] =>
  requests.map((request) => ({ request, balance: ownerOf(request.token_id) === request.owner ? 1 : 0 }));

async function answer(request: Request): Promise<Response> {
  const caller = request.headers.get("Referer") ?? "";
  const { pathname } = new URL(request.url);
  const token = /^\/tokens\/(\d{1,9})$/.exec(pathname)?.[1];
  if (request.method === "GET" && token !== undefined) {
    const owner = ownerOf(Number(token));
    return Response.json({ owner, metadata: Kv.get(`metadata/${token}`) });
  }
  switch (`${request.method} ${pathname}`) {
    case "POST /mint":
      return Response.json({ token_id: mint(caller, (await request.json()) as never) }, { status: 201 });
    case "POST /transfer":
      transfer(caller, (await request.json()) as Transfer[]);
      return new Response(null, { status: 204 });
    case "POST /update_operators":
      updateOperators(caller, (await request.json()) as OperatorUpdate[]);
      return new Response(null, { status: 204 });
    case "POST /balance_of":
      return Response.json(balanceOf((await request.json()) as never));
    default:
      return new Response("Not Found", { status: 404 });
  }
}

export default async function handler(request: Request): Promise<Response> {
  try {
    return await answer(request);
  } catch (error) {
    // A status outside 2xx rolls every change of this call back.
    if (error instanceof Refusal) return Response.json({ error: error.message }, { status: error.status });
    throw error;
  }
}
