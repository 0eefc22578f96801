// A treasury that its members spend by vote: the founder admits members, each proposes and votes once, and a proposal
// with the votes of more than half of all members is paid out.

interface Proposal {
  readonly id: number;
  readonly by: string;
  readonly to: string;
  readonly amount: number;
  readonly reason: string;
  readonly votes: { readonly yes: number; readonly no: number };
  readonly state: "open" | "paid" | "rejected";
}

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const memberKey = (address: string): string => `members/${address}`;
const countOf = (key: string): number => Kv.get<number>(key) ?? 0;

function requireMember(caller: string): void {
  if (!Kv.contains(memberKey(caller))) throw new Refusal(403, "not a member");
}

/** The first caller founds the treasury, and is its first member. */
function admit(caller: string, address: string): number {
  const founder = Kv.get<string>("founder");
  if (founder === null) {
    Kv.set("founder", caller);
    Kv.set(memberKey(caller), true);
    Kv.set("member-count", 1);
  } else if (founder !== caller) throw new Refusal(403, "only the founder admits members");
  if (!Kv.contains(memberKey(address))) {
    Kv.set(memberKey(address), true);
    Kv.set("member-count", countOf("member-count") + 1);
  }
  return countOf("member-count");
}

function propose(by: string, { to, amount, reason }: Partial<Proposal>): Proposal {
  requireMember(by);
  if (typeof to !== "string" || typeof reason !== "string") throw new Refusal(400, "to and reason: texts");
  if (typeof amount !== "number" || !Number.isSafeInteger(amount) || amount <= 0)
    throw new Refusal(400, "amount: mutez, above 0");
  const id = countOf("proposal-count") + 1;
  Kv.set("proposal-count", id);
  const proposal: Proposal = { id, by, to, amount, reason, votes: { yes: 0, no: 0 }, state: "open" };
  Kv.set(`proposals/${id}`, proposal);
  return proposal;
}

function vote(caller: string, proposal: Proposal, isFor: boolean): Proposal {
  requireMember(caller);
  if (proposal.state !== "open") throw new Refusal(409, `the proposal is ${proposal.state}`);
  const key = `votes/${proposal.id}/${caller}`;
  if (Kv.contains(key)) throw new Refusal(409, "you have voted");
  Kv.set(key, isFor);
  const { yes, no } = proposal.votes;
  const votes = isFor ? { yes: yes + 1, no } : { yes, no: no + 1 };
  const needed = Math.floor(countOf("member-count") / 2) + 1;
  const isDecided = votes.yes >= needed;
  const isLost = countOf("member-count") - votes.no < needed;
  if (isDecided) Ledger.transfer(proposal.to, proposal.amount); // throws when there is too little: the vote is undone
  const state = isDecided ? "paid" : isLost ? "rejected" : "open";
  const after: Proposal = { ...proposal, votes, state };
  Kv.set(`proposals/${proposal.id}`, after);
  return after;
}

async function answer(request: Request): Promise<unknown> {
  const { pathname } = new URL(request.url);
  const caller = request.headers.get("Referer") ?? "";
  const isPost = request.method === "POST";
  if (pathname === "/treasury") return { mutez: Ledger.balance(Ledger.selfAddress) };
  if (isPost && pathname === "/members")
    return { members: admit(caller, ((await request.json()) as { address: string }).address) };
  if (isPost && pathname === "/proposals")
    return propose(caller, (await request.json()) as Partial<Proposal>);
  const [, id, choice] = /^\/proposals\/(\d{1,9})(?:\/(yes|no))?$/.exec(pathname) ?? [];
  const proposal = id === undefined ? null : Kv.get<Proposal & KvValue>(`proposals/${id}`);
  if (proposal === null) throw new Refusal(404, "not found");
  if (choice === undefined) return proposal;
  if (!isPost) throw new Refusal(405, "use POST");
  return vote(caller, proposal, choice === "yes");
}

export default async function handler(request: Request): Promise<Response> {
  try {
    return Response.json(await answer(request));
  } catch (error) {
    if (error instanceof Refusal) return Response.json({ error: error.message }, { status: error.status });
    throw error;
  }
}
