// RPCs about the state: constants, accounts, contracts, tickets. They read the state of any block in the history.
import { addressBytes, isImplicit } from "../../tezos/address.ts";
import { fieldsOf, michelineField, textField } from "../../tezos/json-fields.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { NO_TEZ } from "../../tezos/mutez.ts";
import type { Chain } from "../chain/chain.ts";
import type { Job } from "../job.ts";
import { entrypointsOf, findEntrypoint } from "../michelson/entrypoints.ts";
import { noGasLimit } from "../michelson/gas.ts";
import { parseType } from "../michelson/parse-type.ts";
import { readValue } from "../michelson/parse-value.ts";
import { parseParameter, parseStorageType } from "../michelson/script.ts";
import { plainType, unparseEntrypoint } from "../michelson/type.ts";
import { type Form, unparseValue, unparseWithRests } from "../michelson/unparse-value.ts";
import { findIndex } from "../operations/address-registry.ts";
import { dataScope } from "../operations/read-data.ts";
import { ticketId } from "../operations/ticket-table.ts";
import type { Account, ContextReader, TicketBalance } from "../state/context.ts";
import { blockOf, blockRoute, inTurns, listRoute } from "./block-routes.ts";
import { listText } from "./list-answer.ts";
import { throwNotFound } from "./path-values.ts";
import { type Call, NotFound, type Rpc } from "./rpc-server.ts";

type Read = (context: ContextReader, address: string, call: Call) => unknown;

/** Account of an address: implicit ones always exist, originated ones may not. @throws NotFound */
function accountAt(context: ContextReader, address: string): Account {
  const account = context.account(address);
  if (account) return account;
  if (!isImplicit(address)) return throwNotFound();
  return { balance: NO_TEZ, counter: context.globalCounter() };
}

function contractAt(context: ContextReader, address: string): NonNullable<Account["contract"]> {
  return context.account(address)?.contract ?? throwNotFound();
}

/** The storage, which may be long. */
export const storageJson = (contract: NonNullable<Account["contract"]>, form: Form): Job<Micheline> =>
  unparseWithRests(parseStorageType(contract.code), contract.storage, form);

function* scriptJson(contract: NonNullable<Account["contract"]>, form: Form = "readable"): Job<object> {
  return { code: contract.code, storage: yield* storageJson(contract, form) };
}

function* contractJson(context: ContextReader, address: string): Job<object> {
  const account = accountAt(context, address);
  const delegate = account.delegate === undefined ? {} : { delegate: account.delegate };
  const balance = account.balance.toString();
  if (account.contract) return { balance, ...delegate, script: yield* scriptJson(account.contract) };
  return { balance, ...delegate, counter: account.counter.toString(), revealed: account.key !== undefined };
}

function entrypointsJson(context: ContextReader, address: string): object {
  const entrypoints = entrypointsOf(parseParameter(contractAt(context, address).code));
  return {
    unreachable: [],
    entrypoints: Object.fromEntries(
      [...entrypoints].map(([name, { type }]) => [name, unparseEntrypoint(type)]),
    ),
  };
}

const ticketJson = (ticket: TicketBalance): object => ({
  ticketer: ticket.ticketer,
  content_type: plainType(ticket.type),
  content: unparseValue(ticket.type, ticket.contents, "readable"),
  amount: ticket.amount.toString(),
});

function onlyImplicit(address: string): void {
  if (!isImplicit(address)) throwNotFound();
}

function formOf(call: Call): Form {
  const mode = fieldsOf(call.body ?? {}, "body")["unparsing_mode"];
  return mode === "Optimized" || mode === "Optimized_legacy"
    ? mode === "Optimized"
      ? "optimized"
      : "packed"
    : "readable";
}

export function addContextRoutes(rpc: Rpc, chain: Chain, constants: object): void {
  for (const path of ["", "/parametric"])
    blockRoute(rpc, chain, `/context/constants${path}`, () => constants);
  listRoute(rpc, chain, "/context/contracts", (block) => chain.contextAt(block).contracts().keys());

  if (chain.protocol.numbersAddresses)
    blockRoute(rpc, chain, "/context/destination/:address/index", (block, { params }) => {
      const address = params["address"]!;
      if (!addressBytes(address)) throw new NotFound();
      return findIndex(chain.contextAt(block), address)?.toString() ?? null;
    });

  const reader = (call: Call): { context: ContextReader; address: string } => {
    const address = call.params["address"]!;
    if (!addressBytes(address)) throw new NotFound();
    return { context: chain.contextAt(blockOf(chain, call)), address };
  };
  const get = (path: string, read: Read): void =>
    rpc.get(`/chains/:chain/blocks/:block/context/contracts/:address${path}`, (call) => {
      const { context, address } = reader(call);
      return read(context, address, call);
    });
  const post = (path: string, read: Read): void =>
    rpc.post(`/chains/:chain/blocks/:block/context/contracts/:address${path}`, (call) => {
      const { context, address } = reader(call);
      return read(context, address, call);
    });

  const long =
    (read: (...asked: Parameters<Read>) => Job<unknown>): Read =>
    (context, address, call) =>
      inTurns(chain, () => read(context, address, call), call);
  get("", long(contractJson));
  for (const path of ["/balance", "/spendable", "/spendable_and_frozen_bonds", "/balance_and_frozen_bonds"]) {
    get(path, (context, address) => accountAt(context, address).balance.toString());
  }
  for (const path of ["/frozen_bonds", "/estimated_own_pending_slashed_amount"]) get(path, () => "0");
  get("/counter", (context, address) => {
    onlyImplicit(address);
    return accountAt(context, address).counter.toString();
  });
  get("/manager_key", (context, address) => {
    onlyImplicit(address);
    return context.account(address)?.key ?? null;
  });
  get("/delegate", (context, address) => accountAt(context, address).delegate ?? throwNotFound());
  get(
    "/script",
    long((context, address) => scriptJson(contractAt(context, address))),
  );
  get(
    "/storage",
    long((context, address) => storageJson(contractAt(context, address), "readable")),
  );
  get("/storage/used_space", (context, address) => contractAt(context, address).used.toString());
  get("/storage/paid_space", (context, address) => contractAt(context, address).paid.toString());
  get("/entrypoints", entrypointsJson);
  get("/entrypoints/:name", (context, address, { params }) => {
    const parameter = parseParameter(contractAt(context, address).code);
    const name = params["name"]!;
    const found = findEntrypoint(parameter, entrypointsOf(parameter), name) ?? throwNotFound();
    return unparseEntrypoint(found.type);
  });
  post(
    "/script/normalized",
    long((context, address, call) => scriptJson(contractAt(context, address), formOf(call))),
  );
  post(
    "/storage/normalized",
    long((context, address, call) => storageJson(contractAt(context, address), formOf(call))),
  );
  get("/is_revealed", (context, address) => {
    onlyImplicit(address);
    return context.account(address)?.key !== undefined;
  });
  get("/all_ticket_balances", (context, address, call) => {
    function* tickets(): Iterable<object> {
      for (const ticket of context.ticketsOf(address).values()) yield ticketJson(ticket);
    }
    return chain.trials.tryOut(() => listText(tickets()), call);
  });
  post("/ticket_balance", async (context, address, call) => {
    const fields = fieldsOf(call.body, "body");
    const wanted = parseType(michelineField(fields["content_type"], "content_type"));
    const written = michelineField(fields["content"], "content");
    const ticketer = textField(fields["ticketer"], "ticketer", "an address", (text) => !!addressBytes(text));
    const { context: state, frame: block } = chain.nextBlock;
    const scope = dataScope({ context: state, block, gas: noGasLimit() });
    return chain.trials.tryOut(function* () {
      const contents = yield* readValue(wanted, written, scope);
      const id = ticketId(ticketer, wanted, contents);
      return (context.ticket(address, id)?.amount ?? 0n).toString();
    }, call);
  });
}
