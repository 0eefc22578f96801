// Routes about layer 1: the accounts, operations that the sandbox signs, and the making of blocks.
import { SandboxError } from "../protocol/errors.ts";
import {
  accountsSchema,
  contractCallSchema,
  layer1OperationReportSchema,
  layer1OperationSchema,
} from "../protocol/sandbox-api.ts";
import * as Type from "../protocol/schema-types.ts";
import { anyObject, type ControlContext, type ControlRoute, failure } from "./control-route.ts";

export function layer1Routes(context: ControlContext): ControlRoute[] {
  return [
    {
      method: "GET",
      url: "/accounts",
      summary: "Bootstrap accounts with their balances on layer 1 and in the runtime, in mutez.",
      responses: {
        200: { description: "The accounts.", schema: accountsSchema },
        503: failure("NETWORK_UNREACHABLE: a part does not answer yet."),
      },
      handle: async () => ({ accounts: await context.balances.read() }),
    },
    {
      method: "POST",
      url: "/contract_call",
      summary:
        "Signs a layer 1 contract call with a bootstrap key and waits for its inclusion (as in jstzd).",
      body: contractCallSchema,
      responses: {
        200: { description: "Included and applied; empty body." },
        400: failure("The call is invalid or was rejected; nothing was transferred."),
        403: failure("OWNER_ONLY: only the owner may sign with this account."),
      },
      handle: async (request, reply) => {
        await context.signing.callContract(request.body, () => context.checkOwner(request));
        return reply.status(200).send();
      },
    },
    {
      method: "POST",
      url: "/layer1/operations",
      access: "owner",
      summary: "Signs a layer 1 operation for an account of the sandbox and waits for its inclusion.",
      body: layer1OperationSchema,
      responses: {
        200: { description: "Included and applied.", schema: layer1OperationReportSchema },
        400: failure("UNKNOWN_BOOTSTRAP, KEY_UNKNOWN, or layer 1 rejected it; nothing was transferred."),
      },
      handle: (request) => context.signing.send(request.body),
    },
    {
      method: "GET",
      url: "/l1_alias/:alias",
      summary: "Address of a layer 1 account by its label.",
      params: Type.Object({ alias: Type.String() }),
      responses: {
        200: { description: "The address.", schema: Type.String(), contentType: "text/plain" },
        404: failure("UNKNOWN_BOOTSTRAP: no such account."),
      },
      handle: (request, reply) => {
        const { alias } = request.params as { alias: string };
        const account = context.accounts.find(({ label }) => label === alias);
        if (!account) return reply.status(404).send(unknownAccount(context, alias).toBody());
        return reply.type("text/plain; charset=utf-8").send(account.address);
      },
    },
    ...["bake", "pause", "resume", "jump"].map((action): ControlRoute => ({
      method: "POST",
      url: `/layer1/${action}`,
      access: "owner",
      summary: LAYER1_ACTIONS[action]!,
      responses: {
        200: { description: "Done; the body contains the head.", schema: anyObject },
        400: failure("BAD_REQUEST: the body is invalid."),
      },
      handle: async (request, reply) => {
        const { status, body } = await context.layer1Admin(`/admin/${action}`, request.body ?? {});
        return reply.status(status).type("application/json").send(body);
      },
    })),
  ];
}

const LAYER1_ACTIONS: Readonly<Record<string, string>> = {
  bake: 'Bakes blocks now: {"blocks": n}; one block without a body.',
  pause: "Stops the heartbeat blocks.",
  resume: "Starts the heartbeat blocks again.",
  jump: 'Moves the time of the next block forward: {"seconds": n}.',
};

function unknownAccount(context: Pick<ControlContext, "accounts">, found: string): SandboxError {
  return new SandboxError("UNKNOWN_BOOTSTRAP", {
    found,
    known: context.accounts.map(({ label }) => label).join(", "),
  });
}
