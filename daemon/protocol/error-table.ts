// All errors that users can meet: stable code, what happened, and the next step. Texts are rendered at the edge
// (CLI, HTTP answer, editor); programs and tests use only codes.

interface Description {
  /** HTTP status of an answer with this error. */
  readonly status: number;
  readonly message: (data: never) => string;
  readonly next: (data: never) => string;
}

const s = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The table of errors. A code never changes its meaning, and retired codes are never reused. */
export const ERRORS = {
  BAD_AMOUNT: {
    status: 400,
    message: (d: { found?: unknown; reason: string }) =>
      `${s(d.found ?? "")} is not an amount of tez: ${s(d.reason)}.`,
    next: () => "Give a positive amount in tez, for example 1000 or 0.5.",
  },
  BAD_ADDRESS: {
    status: 400,
    message: (d: { found: unknown; expected: string; reason: string }) =>
      `${s(d.found)} is not ${s(d.expected)}: ${s(d.reason)}.`,
    next: (d: { next?: string | undefined }) =>
      s(d.next ?? "Check the address, or use an alias: `functez account list` shows them."),
  },
  UNKNOWN_BOOTSTRAP: {
    status: 400,
    message: (d: { found: unknown }) => `There is no bootstrap account ${s(d.found)}.`,
    next: (d: { known: string }) => `Use one of ${s(d.known)}.`,
  },
  KEY_UNKNOWN: {
    status: 400,
    message: (d: { found: unknown }) =>
      `The secret key of ${s(d.found)} is unknown to the sandbox, so it cannot send anything.`,
    next: () =>
      "Give its secret key in layer1_node.bootstrap_accounts of the configuration, or import it with `functez account import` and use that alias.",
  },
  FUNCTION_GONE: {
    status: 404,
    message: (d: {
      alias?: string | undefined;
      address: string;
      where: string;
      isSandbox?: boolean | undefined;
    }) =>
      d.alias
        ? `${s(d.alias)} is the smart function ${s(d.address)}, which is not in ${s(d.where)}${d.isSandbox ? ": it was deployed to an earlier one, and what a sandbox holds is gone when it stops" : ""}.`
        : `There is no smart function ${s(d.address)} in ${s(d.where)}.`,
    next: (d: { alias?: string | undefined }) =>
      d.alias
        ? `Deploy it again: \`functez deploy <file> --name ${s(d.alias)} --force\`.`
        : "`functez account list` lists those that you have deployed.",
  },
  UNKNOWN_ALIAS: {
    status: 400,
    message: (d: { found: unknown }) => `There is no account or smart function with the alias ${s(d.found)}.`,
    next: (d: { next?: string | undefined }) =>
      s(d.next ?? "`functez account list` shows the known ones; `functez account create <alias>` makes one."),
  },
  INSUFFICIENT_BALANCE: {
    status: 400,
    message: (d: { account: string; balance: string; needed: string }) =>
      `${s(d.account)} has ${s(d.balance)} tez; ${s(d.needed)} tez are needed.`,
    next: () => "Use a smaller amount or another account.",
  },
  UNSUPPORTED_RECEIVER: {
    status: 400,
    message: (d: { found: unknown; kind: string }) =>
      `${s(d.found)} cannot receive a deposit: the runtime has no ${s(d.kind)} accounts, so the tez would be lost.`,
    next: () => "Use a tz1, tz2, tz3 or KT1 address, or an alias.",
  },
  PORT_IN_USE: {
    status: 500,
    message: (d: { port: number; host: string; for: string; holder?: string | undefined }) =>
      `Port ${s(d.port)} on ${s(d.host)}, wanted for ${s(d.for)}, is in use${d.holder ? ` by ${s(d.holder)}` : ""}.`,
    next: (d: { key: string; free?: number | undefined }) =>
      `Stop that program, or set ${s(d.key)} in the configuration to another port${d.free ? `, for example ${s(d.free)}` : ""} (0 picks any free port).`,
  },
  CONFIG_INVALID: {
    status: 400,
    message: (d: {
      file: string;
      line: number;
      column: number;
      key?: string | undefined;
      found: unknown;
      expected: string;
    }) =>
      `The configuration file ${s(d.file)} is wrong at line ${s(d.line)}, column ${s(d.column)}${d.key ? ` (${s(d.key)})` : ""}: found ${s(d.found)}, expected ${s(d.expected)}.`,
    next: () => "Correct the file and start again; docs/configuration.md lists every key.",
  },
  CONFIG_UNREADABLE: {
    status: 400,
    message: (d: { file: string; reason: string }) =>
      `The configuration file ${s(d.file)} cannot be read: ${s(d.reason)}.`,
    next: () => "Check the path and its permissions.",
  },
  CLI_CONFIG_INVALID: {
    status: 400,
    message: (d: {
      file: string;
      line: number;
      column: number;
      key?: string | undefined;
      found: unknown;
      expected: string;
    }) =>
      `Your configuration file is improperly configured: ${s(d.file)}, line ${s(d.line)}, column ${s(d.column)}${d.key ? ` (${s(d.key)})` : ""}: found ${s(d.found)}, expected ${s(d.expected)}.`,
    next: (d: { folder: string }) =>
      `Correct the file, or delete the folder ${s(d.folder)} and start again (this removes the accounts kept in it).`,
  },
  CLI_CONFIG_UNWRITABLE: {
    status: 500,
    message: (d: { file: string; reason: string }) =>
      `The configuration file ${s(d.file)} cannot be written: ${s(d.reason)}.`,
    next: () => "Check the permissions and the free space of that folder. Nothing was changed.",
  },
  SANDBOX_NOT_RUNNING: {
    status: 503,
    message: (d: { endpoint: string }) => `No sandbox answers at ${s(d.endpoint)}.`,
    next: (d: { next?: string | undefined }) => s(d.next ?? "Start one with `functez sandbox start`."),
  },
  SANDBOX_FOREIGN: {
    status: 409,
    message: (d: { endpoint: string; pid: number; what: string }) =>
      `The sandbox at ${s(d.endpoint)} was started by somebody else, or with another configuration folder (process ${s(d.pid)}): ${s(d.what)}.`,
    next: (d: { endpoint: string }) =>
      `To use it all the same, set FUNCTEZ_SANDBOX_URL=${s(d.endpoint)} in the environment. For one of your own start \`functez sandbox start -c <file>\` with other ports in the file.`,
  },
  NETWORK_UNREACHABLE: {
    status: 503,
    message: (d: { what: string; endpoint: string; reason: string }) =>
      `${s(d.what)} at ${s(d.endpoint)} does not answer: ${s(d.reason)}.`,
    next: (d: { next?: string | undefined }) =>
      s(d.next ?? "Check the endpoints of the network with `functez network list`."),
  },
  SANDBOX_START_FAILED: {
    status: 500,
    message: (d: { reason: string }) => `The sandbox did not start: ${s(d.reason)}.`,
    next: (d: { next?: string | undefined }) => s(d.next ?? "The lines above show the cause."),
  },
  SANDBOX_KILLED: {
    status: 503,
    message: (d: { how: string }) => `The sandbox was killed (${s(d.how)}).`,
    next: (d: { command?: string | undefined }) =>
      `Its state is gone: start it again with \`${s(d.command ?? "functez sandbox start")}\`. If nobody killed it, the memory may have run out.`,
  },
  PART_FAILED: {
    status: 503,
    message: (d: { part: string; reason: string }) => `${s(d.part)} failed: ${s(d.reason)}.`,
    next: () => "Restart the sandbox with `functez sandbox restart`.",
  },
  PART_SILENT: {
    status: 503,
    message: (d: { part: string; seconds: number }) => `${s(d.part)} made no progress for ${s(d.seconds)} s.`,
    next: () => "Restart the sandbox; `--log-level debug` shows what it waits for.",
  },
  UNKNOWN_CONFIG_TYPE: {
    status: 404,
    message: (d: { found: unknown }) => `There is no configuration of ${s(d.found)}.`,
    next: (d: { known: string }) => `Use one of ${s(d.known)}.`,
  },
  SNAPSHOT_UNKNOWN: {
    status: 404,
    message: (d: { found: unknown }) => `There is no snapshot ${s(d.found)}.`,
    next: () =>
      "Take one first. The 16 most recently used are kept, fewer if they are very large; restarting the sandbox discards all.",
  },
  SNAPSHOT_NONE: {
    status: 404,
    message: () => "There is no snapshot yet.",
    next: () => "Take one with `functez sandbox snapshot`; restarting the sandbox discards all.",
  },
  SNAPSHOT_EXISTS: {
    status: 409,
    message: (d: { found: unknown }) => `The snapshot ${s(d.found)} already exists.`,
    next: () =>
      "Choose another name, or replace it with --force (`replace=1` over HTTP). Nothing was changed.",
  },
  SNAPSHOT_UNSUPPORTED: {
    status: 400,
    message: (d: { part: string }) => `${s(d.part)} is not the built-in one and does not support snapshots.`,
    next: () => "Use snapshots with the built-in layer1_node and runtime_node.",
  },
  STORE_UNSUPPORTED: {
    status: 400,
    message: (d) =>
      `${s(d["part"])} is not the built-in one and its stores of smart functions cannot be changed from outside.`,
    next: () => "Use the built-in runtime_node. `functez dev` works without `--store keep`.",
  },
  SANDBOX_BUSY: {
    status: 503,
    message: (d: { reason: string }) => `The sandbox is still busy: ${s(d.reason)}.`,
    next: () => "Wait for the pending operations, then try again. Nothing was changed.",
  },
  LAYER1_BUSY: {
    status: 503,
    message: (d: { waiting: number }) =>
      `Layer 1 is overloaded: ${s(d.waiting)} requests are already waiting.`,
    next: () => "Wait for the answers to pending requests, then try again.",
  },
  NOT_FOUND: {
    status: 404,
    message: (d: { what: string }) => `There is no ${s(d.what)} here.`,
    next: (d: { next?: string | undefined }) => s(d.next ?? "GET /openapi.json lists the routes."),
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: (d: { path: string; found: unknown }) => `${s(d.path)} does not accept ${s(d.found)}.`,
    next: (d: { allowed: string }) => `Use ${s(d.allowed)}.`,
  },
  FORBIDDEN_HOST: {
    status: 403,
    message: (d: { found: unknown }) => `Requests for host ${s(d.found)} are refused.`,
    next: () => "Use 127.0.0.1 or localhost, or add the name to `allowed_hosts` in the configuration.",
  },
  FORBIDDEN_ORIGIN: {
    status: 403,
    message: (d: { found: unknown }) =>
      `Requests from web pages of ${s(d.found)} may not use this route of the sandbox.`,
    next: () => "Send the request from a program, not from a web page of another origin.",
  },
  FORBIDDEN_FUNCTION: {
    status: 403,
    message: () => "Smart functions may not use this route.",
    next: () => "They can only use the public interface of the runtime, which its /openapi.json lists.",
  },
  TOO_MANY_STREAMS: {
    status: 503,
    message: (d: { open: number }) => `${s(d.open)} requests are waiting for receipts, which is the maximum.`,
    next: () => "Try again when some of them have been answered.",
  },
  SERVER_BUSY: {
    status: 503,
    message: (d: { what: string }) => `The sandbox has too much in progress: ${s(d.what)}.`,
    next: () => "Send less at the same time, then try again.",
  },
  OWNER_ONLY: {
    status: 403,
    message: (d: { found: unknown }) =>
      `Only the owner of the sandbox may change its time, state or lifetime: the secret given is ${s(d.found)}.`,
    next: () =>
      "Use the functez command line or editor, or send `Authorization: Bearer <adminSecret>` as `functez sandbox status --json` shows it. If somebody else runs the sandbox, set FUNCTEZ_ADMIN_SECRET to its admin_secret.",
  },
  OWNER_UNPROVEN: {
    status: 403,
    message: (d: { endpoint: string }) =>
      `The server at ${s(d.endpoint)} did not prove that it knows the owner's secret. The secret was not sent, and nothing was changed.`,
    next: () =>
      "Another program may have taken the port, or the sandbox's secret differs from FUNCTEZ_ADMIN_SECRET here; `functez sandbox status` shows which sandbox answers.",
  },
  ANSWER_MALFORMED: {
    status: 502,
    message: (d: { what: string; url: string; reason: string }) =>
      `${s(d.what)} sent an answer of another form than expected (${s(d.url)}): ${s(d.reason)}.`,
    next: () =>
      "Check that the endpoint belongs to such a server: `functez network list` shows those of your networks.",
  },
  BAD_REQUEST: {
    status: 400,
    message: (d: { at?: string | undefined; found: unknown; expected: string }) =>
      `The request is wrong${d.at ? ` at ${s(d.at)}` : ""}: found ${s(d.found)}, expected ${s(d.expected)}.`,
    next: () => "Correct the request; GET /openapi.json describes it.",
  },
  BODY_TOO_LARGE: {
    status: 413,
    message: (d: { limit: number }) => `The request body is larger than ${s(d.limit)} bytes.`,
    next: () => "Send less.",
  },
  ANSWER_TOO_LARGE: {
    status: 422,
    message: (d: { limit: number }) => `The answer would be larger than ${s(d.limit)} bytes.`,
    next: (d: { next?: string | undefined }) =>
      s(
        d.next ??
          "Ask for less: single entries, or a part with offset and length where the route takes them.",
      ),
  },
  QUERY_TOO_SLOW: {
    status: 422,
    message: (d: { limitMs: number }) => `The answer would take more than ${d.limitMs} ms of work.`,
    next: () =>
      "Ask with fewer filters, for fewer records, or filter by fields that are no values of Michelson.",
  },
  HISTORY_FORGOTTEN: {
    status: 410,
    message: (d: { what: string }) =>
      `${s(d.what)} are no longer kept: the history of this chain takes too much memory.`,
    next: (d: { next: string }) => s(d.next),
  },
  SHUTTING_DOWN: {
    status: 503,
    message: () => "The sandbox is shutting down.",
    next: () => "Start it again with `functez sandbox start`.",
  },
  REPLAY_IMPOSSIBLE: {
    status: 404,
    message: (d: { hash: string; reason: string }) =>
      `Operation ${s(d.hash)} cannot run again: ${s(d.reason)}.`,
    next: () => "Send the call again, and look at that operation.",
  },
  REPLAY_DIFFERS: {
    status: 500,
    message: (d: { hash: string }) =>
      `Operation ${s(d.hash)} ended differently when it ran again, so nothing can be said about it.`,
    next: () => "Please report it, with the function and the call.",
  },
  REPLAY_LIMIT: {
    status: 503,
    message: (d: { reason: string }) => `The replay was given up: ${s(d.reason)}.`,
    next: () => "Try an operation that does less. The sandbox itself goes on.",
  },
  EXPRESSION_FAILED: {
    status: 400,
    message: (d: { reason: string }) => `The expression has no value here: ${s(d.reason)}.`,
    next: () => "Look at names in the scopes of the frame.",
  },
  EXPRESSION_EFFECT: {
    status: 400,
    message: (d: { what: string }) => `${s(d.what)} has an effect, so the debugger does not do it.`,
    next: () => "Expressions may read anything, and change nothing.",
  },
  EXPRESSION_ENDLESS: {
    status: 400,
    message: () => "The expression does not end soon enough.",
    next: () => "Look at less at a time.",
  },
  VALUE_UNCHANGED: {
    status: 404,
    message: (d: { address: string; key: string }) =>
      `No operation that the sandbox keeps has changed ${s(d.key)} of ${s(d.address)}.`,
    next: () => "The sandbox keeps the latest operations (`runtime_node.history`).",
  },
  LINE_NOT_RUN: {
    status: 404,
    message: (d: { source: string; line: number; reason?: string | undefined }) =>
      `Line ${s(d.line)} of ${s(d.source)} did not run in this operation.${d.reason === undefined ? "" : ` ${s(d.reason)}`}`,
    next: () => "Choose a line that ran: `functez call trace <operation> --source` shows them.",
  },
  DEBUG_NOT_PAUSED: {
    status: 400,
    message: () => "The operation has ended, or has not begun.",
    next: () => "Step back, or go to a place in it.",
  },
  DEBUG_SESSION_GONE: {
    status: 404,
    message: () => "The sandbox has no such debug session: it ended, or the sandbox was restarted.",
    next: () => "Open the operation again. A restart forgets all operations.",
  },
  HOLD_TAKEN: {
    status: 409,
    message: () => "Another debug session holds operations of this sandbox already.",
    next: () => "End it, or attach without `hold`: calls are then opened after they have run.",
  },
  DEBUG_UNSUPPORTED: {
    status: 400,
    message: (d: { part: string }) => `${s(d.part)} is not the built-in one and keeps no record to replay.`,
    next: () => "Use the built-in runtime_node.",
  },
  OPERATION_FAILED: {
    status: 400,
    message: (d: { what: string; reason: string }) => `${s(d.what)} failed: ${s(d.reason)}.`,
    next: (d: { next?: string | undefined }) => s(d.next ?? "It changed nothing."),
  },
  LAYER1_REJECTED: {
    status: 400,
    message: (d: { reason: string; id: string; status?: number }) =>
      `Layer 1 refused the operation: ${s(d.reason)} (${s(d.id)}).`,
    next: (d: { next?: string | undefined }) => s(d.next ?? "Nothing was moved."),
  },
  DEPOSIT_TIMEOUT: {
    status: 504,
    message: (d: { operation: string; seconds: number }) =>
      `The deposit is on layer 1 (operation ${s(d.operation)}), but the runtime did not credit it within ${s(d.seconds)} s.`,
    next: () =>
      "`functez sandbox status` shows whether the runtime keeps up; the balance changes when it catches up.",
  },
  DEPLOY_FAILED: {
    status: 400,
    message: (d: { reason: string }) =>
      `Failed to deploy smart function with error ${JSON.stringify(s(d.reason))}.`,
    next: (d: { next?: string | undefined; reason: string }) =>
      s(d.next ?? `${deployHint(s(d.reason))} Nothing was deployed.`),
  },
  CHECK_FAILED: {
    status: 400,
    message: (d: {
      file: string;
      network: string;
      /** A line for each. */
      findings: string;
      /** Of the findings that have one: absolute paths, lines and columns from 1. */
      places: readonly {
        readonly message: string;
        readonly file: string;
        readonly line: number;
        readonly column: number;
      }[];
    }) => `${s(d.file)} does not work on ${s(d.network)}, which is not the sandbox:\n${s(d.findings)}`,
    next: () => "Correct it (docs/runtime-differences.md), or deploy it anyway with --no-check.",
  },
  OPERATION_TOO_LARGE: {
    status: 400,
    message: (d: { what: string; bytes: number; limit: number }) =>
      `The ${s(d.what)} has ${d.bytes} bytes; this network accepts ${d.limit}. Nothing was sent.`,
    next: () => "Send less at once: code, URL, headers and body count.",
  },
  PUBLIC_KEY_REFUSED: {
    status: 400,
    message: (d: { address: string }) =>
      `The key of ${s(d.address)} is published, so that anyone can take what it has on this network. Nothing was sent.`,
    next: () => "Use an account of your own, or --yes-public-key.",
  },
  BUILD_FAILED: {
    status: 400,
    message: (d: {
      file: string;
      reason: string;
      /** Files relative to the folder of the built one, lines from 1, columns from 0. */
      errors?: readonly {
        readonly text: string;
        readonly location: { readonly file: string; readonly line: number; readonly column: number } | null;
      }[];
    }) => `${s(d.file)} does not compile:\n${s(d.reason)}`,
    next: () => "Correct the source and deploy again. Nothing was deployed.",
  },
  BUILD_STOPPED: {
    status: 400,
    message: (d: { file: string; reason: string }) => `Building ${s(d.file)} was stopped: ${s(d.reason)}.`,
    next: () => "Look at what it imports, and at package.json and tsconfig.json there. Nothing was deployed.",
  },
  PROJECT_INVALID: {
    status: 400,
    message: (d: {
      file: string;
      line: number;
      column: number;
      key?: string | undefined;
      found: unknown;
      expected: string;
    }) =>
      `The project's ${s(d.file)} is wrong at line ${s(d.line)}, column ${s(d.column)}${d.key ? ` (${s(d.key)})` : ""}: found ${s(d.found)}, expected ${s(d.expected)}.`,
    next: () => 'Correct the file; docs/libraries.md describes its field "functez".',
  },
  RUN_FAILED: {
    status: 400,
    message: (d: { reason: string; operation?: string }) => `The call failed: ${s(d.reason)}.`,
    next: (d: { next?: string | undefined }) =>
      s(d.next ?? "`functez logs trace <function>` shows what the function logs."),
  },
  FILE_UNREADABLE: {
    status: 400,
    message: (d: { file: string; reason: string }) => `${s(d.file)} cannot be read: ${s(d.reason)}.`,
    next: (d: { next?: string | undefined }) => s(d.next ?? "Check the path."),
  },
  FILE_UNWRITABLE: {
    status: 500,
    message: (d: { file: string; reason: string }) => `${s(d.file)} cannot be written: ${s(d.reason)}.`,
    next: () => "Check the permissions and the free space.",
  },
  FOLDER_NOT_EMPTY: {
    status: 400,
    message: (d: { found: unknown; first: string }) =>
      `The folder ${s(d.found)} is not empty: it has ${s(d.first)} in it.`,
    next: () => "Name a new folder. Nothing was written.",
  },
  BAD_URL: {
    status: 400,
    message: (d: { found: unknown; reason: string }) =>
      `${s(d.found)} is not the URL of a smart function: ${s(d.reason)}.`,
    next: () => "Use jstz://<address or alias>/path, or just <alias>/path.",
  },
  BAD_OPTION: {
    status: 400,
    message: (d: { option: string; found: unknown; expected: string }) =>
      `${s(d.option)} has the value ${d.found === "" ? '""' : s(d.found)}; expected ${s(d.expected)}.`,
    next: () => "`--help` shows the options of the command.",
  },
  ALIAS_EXISTS: {
    status: 400,
    message: (d: { found: unknown }) => `The alias ${s(d.found)} exists already.`,
    next: () => "Choose another alias, or overwrite it with --force.",
  },
  BAD_USAGE: {
    status: 400,
    message: (d: { found: unknown }) => `The command line is wrong: ${s(d.found)}.`,
    next: () => "`functez --help` shows the commands, `functez <command> --help` the options of one.",
  },
  COMMAND_NOT_FOUND: {
    status: 400,
    message: (d: { found: unknown; reason: string }) =>
      `The command ${s(d.found)} cannot be run: ${s(d.reason)}.`,
    next: () => "Check its name and the PATH.",
  },
  BAD_ALIAS: {
    status: 400,
    message: (d: { found: unknown; reason: string }) => `${s(d.found)} is not a valid alias: ${s(d.reason)}.`,
    next: () =>
      "Use letters, digits, dots, - and _, beginning with a letter, and neither an address nor a bootstrap label.",
  },
  BAD_SECRET_KEY: {
    status: 400,
    message: (d: { reason: string }) => `That is not a secret key: ${s(d.reason)}.`,
    next: () => "Give an unencrypted key that begins with edsk, spsk or p2sk, or a BIP39 phrase.",
  },
  NOT_LOGGED_IN: {
    status: 400,
    message: () => "You are not logged in.",
    next: () => "Please run `functez login <alias>`, or `functez account create <alias>` first.",
  },
  INPUT_NEEDED: {
    status: 400,
    message: (d: { what: string }) => `${s(d.what)} is missing, and there is no terminal to ask on.`,
    next: (d: { option: string }) => `Give it as ${s(d.option)}.`,
  },
  UNKNOWN_NETWORK: {
    status: 400,
    message: (d: { found: unknown }) => `Network '${s(d.found)}' does not exist.`,
    next: (d: { known: string }) => `Known networks: ${s(d.known)}. Add one with \`functez network add\`.`,
  },
  NETWORK_EXISTS: {
    status: 400,
    message: (d: { found: unknown }) => `Network '${s(d.found)}' already exists.`,
    next: () => "Use --force to overwrite it, or `functez network update`.",
  },
  NETWORK_RESERVED: {
    status: 400,
    message: () => "Network 'dev' is reserved for the sandbox.",
    next: () => "Choose another name.",
  },
  NO_VALUE: {
    status: 404,
    message: (d: { plural?: boolean | undefined; key?: string | undefined }) =>
      `No value${d.plural ? "s" : ""} found${d.key ? ` under ${s(d.key)}` : ""}.`,
    next: () => "`functez kv list` shows the keys that exist.",
  },
  DOCKER_UNREACHABLE: {
    status: 503,
    message: (d: { tried: string }) => `No container engine answers. Tried:\n${s(d.tried)}`,
    next: () =>
      "Start Docker or Podman (or set DOCKER_HOST), or start the sandbox without a container: `functez sandbox start`.",
  },
  CONTAINER_FOREIGN: {
    status: 409,
    message: (d: { name: string }) => `A container named ${s(d.name)} exists that is not ours.`,
    next: (d: { name: string }) =>
      `Rename or remove it (docker rm ${s(d.name)}), then start again. It was not touched.`,
  },
  CONTAINER_FAILED: {
    status: 500,
    message: (d: { what: string; reason: string }) =>
      `The container engine could not ${s(d.what)}: ${s(d.reason)}.`,
    next: (d: { next?: string | undefined }) =>
      s(d.next ?? "`functez sandbox --container logs` shows its output."),
  },
  CONTAINER_LOST: {
    status: 503,
    message: (d: { reason: string }) => `The connection to the container engine was lost: ${s(d.reason)}.`,
    next: () =>
      "`functez sandbox --container status` shows whether the sandbox still runs; start the engine again if it stopped.",
  },
  IMAGE_UNAVAILABLE: {
    status: 503,
    message: (d: { image: string; reason: string }) =>
      `The image ${s(d.image)} could not be obtained: ${s(d.reason)}.`,
    next: (d: { next?: string | undefined }) =>
      s(
        d.next ??
          "Check the network and the name, or start the sandbox without a container: `functez sandbox start`.",
      ),
  },
  IMAGE_ARCHITECTURE: {
    status: 400,
    message: (d: { image: string; found: unknown; expected: string }) =>
      `The image ${s(d.image)} is for ${s(d.found)}, but the engine runs ${s(d.expected)}.`,
    next: (d: { image: string }) =>
      `Remove it (docker rmi ${s(d.image)}), so that the right one is pulled or built. Emulation is not used: it is slow and unreliable.`,
  },
  CREDENTIALS_UNREADABLE: {
    status: 500,
    message: (d: { program: string; reason: string }) =>
      `${s(d.program)}, which stores your registry logins, failed: ${s(d.reason)}.`,
    next: () => "Log in again with `docker login`, or correct `credsStore` in Docker's config.json.",
  },
  BAD_TOOL_INPUT: {
    status: 400,
    message: (d: { tool: string; parameter?: string | undefined; found: unknown; expected: string }) =>
      `${s(d.tool)} was called with ${s(d.found)}${d.parameter ? ` for "${s(d.parameter)}"` : ""}; expected ${s(d.expected)}.`,
    next: (d: { parameter?: string | undefined }) =>
      `Call this tool again with ${d.parameter ? `a correct "${s(d.parameter)}"` : "an object of its parameters"}.`,
  },
  TOOL_REFUSED: {
    status: 403,
    message: (d: { tool: string }) => `${s(d.tool)} changes the sandbox, and this server only reads it.`,
    next: () => "Ask the user to do it, or to start `functez mcp` without --read-only.",
  },
  WORKSPACE_UNKNOWN: {
    status: 400,
    message: () => "It is unknown which folder has the user's sources.",
    next: () => "Ask the user to start the server in the project, or as `functez mcp --folder <project>`.",
  },
  CANCELLED: {
    status: 499,
    message: (d: { what?: string | undefined; interrupted?: boolean }) =>
      `${s(d.what ?? "The command")} was cancelled.`,
    next: (d: { next?: string | undefined }) => s(d.next ?? "Nothing was changed after that point."),
  },
  INTERNAL: {
    status: 500,
    message: (d: { reason?: string }) =>
      `functez failed unexpectedly${d.reason ? `: ${s(d.reason)}` : " while answering"}.`,
    next: () => "Please report it, with the log of the sandbox.",
  },
  CLI_MISSING: {
    status: 500,
    message: (d: { reason: string }) => `The command line of the extension does not start: ${s(d.reason)}.`,
    next: () => "Reinstall the extension.",
  },
  CLI_FAILED: {
    status: 500,
    message: (d: { reason: string }) => s(d.reason),
    next: () => "The functez log has more.",
  },
  INSTALLATION_DAMAGED: {
    status: 500,
    message: (d: { reason: string }) => `The installation of functez is damaged: ${s(d.reason)}.`,
    next: () => "Reinstall the extension.",
  },
  CONTAINER_UNREACHABLE: {
    status: 503,
    message: (d: { engine: string }) =>
      `The sandbox runs on the machine of ${s(d.engine)}, whose ports are not forwarded to this one.`,
    next: (d: { forward?: string | undefined }) =>
      d.forward ? `Forward them in a terminal: ${s(d.forward)}` : "Forward its ports to this machine.",
  },
} as const satisfies Record<string, Description>;

/** A hint for a module that is not a smart function, based on the runtime's message. */
function deployHint(reason: string): string {
  if (/\b(?:module|exports|require) is not defined/.test(reason))
    return "A smart function is an ES module: write `export default` in place of `module.exports`, and `import` in place of `require`.";
  if (/'default' property to be function but was Object/.test(reason))
    return "Export the handler itself: `export default (request) => new Response()`, not an object with a `fetch` method.";
  if (/'default' property to be function|No default handler/.test(reason))
    return "Export a handler: `export default (request) => new Response()`.";
  return "Correct the function and deploy again.";
}
