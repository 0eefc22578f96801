// The key-value store of a smart function as a tree, with search and the recent changes of each key.
import { useEffect, useState } from "preact/hooks";
import { Code, visible } from "../parts/code.tsx";
import { OperationLink } from "../parts/links.tsx";
import { Nothing, Panel, WhenRead } from "../parts/panel.tsx";
import { readRuntime } from "../state/api.ts";
import { runtimeChanges } from "../state/live.ts";
import { useRead } from "../state/loading.ts";
import { clockText, plural, prettyJson } from "../state/texts.ts";
import { changesOf, type Operation } from "../state/trace.ts";
import { Values } from "./calls.tsx";

interface KeyValuesProps {
  readonly address: string;
  /** The latest operations, for recent changes. */
  readonly operations: readonly Operation[];
}

/** Most keys to load. */
const MAX_KEYS = 1_000;
/** Most children to show per folder. */
const MAX_CHILDREN = 200;
const HISTORY = 8;

export function KeyValues({ address, operations }: KeyValuesProps) {
  const [wanted, setWanted] = useState("");
  const keys = useRead<Keys>(
    `keys of ${address}`,
    (signal) => allKeys(address, signal),
    runtimeChanges.value,
  );
  return (
    <Panel title="Stored values" actions={keys.value && <span class="faint">{countText(keys.value)}</span>}>
      <WhenRead loaded={keys} missing="The store cannot be read.">
        {(found) =>
          found.paths.length === 0 ? (
            <Nothing>
              The store is empty. <code>Kv.set</code> writes here.
            </Nothing>
          ) : (
            <>
              <input
                type="search"
                class="filter"
                aria-label="Search keys"
                placeholder="Search keys"
                value={wanted}
                onInput={({ currentTarget }) => setWanted(currentTarget.value)}
              />
              <Tree
                nodes={treeOf(
                  found.paths.filter((path) => path.toLowerCase().includes(wanted.toLowerCase())),
                )}
                isOpen={wanted !== "" || found.paths.length <= 12}
                address={address}
                operations={operations}
              />
            </>
          )
        }
      </WhenRead>
    </Panel>
  );
}

interface Keys {
  /** Full keys, sorted. */
  readonly paths: readonly string[];
  readonly isWhole: boolean;
}

const countText = ({ paths, isWhole }: Keys): string =>
  isWhole ? plural(paths.length, "key") : `the first ${plural(paths.length, "key")}`;

/** Walks the store level by level, eight folders at a time. */
async function allKeys(address: string, signal: AbortSignal): Promise<Keys> {
  const base = `accounts/${encodeURIComponent(address)}/kv/subkeys`;
  const paths: string[] = [];
  const waiting: (string | undefined)[] = [undefined];
  while (waiting.length > 0 && paths.length < MAX_KEYS) {
    const some = waiting.splice(0, 8);
    const lists = await Promise.all(
      some.map((key) =>
        readRuntime<string[]>(key === undefined ? base : `${base}?key=${encodeURIComponent(key)}`, signal),
      ),
    );
    lists.forEach((names, i) => {
      for (const name of names ?? []) {
        if (name === "") continue; // the key itself
        const path = some[i] === undefined ? name : `${some[i]}/${name}`;
        paths.push(path);
        waiting.push(path);
      }
    });
  }
  return {
    paths: paths.slice(0, MAX_KEYS).sort(),
    isWhole: waiting.length === 0 && paths.length <= MAX_KEYS,
  };
}

interface Node {
  readonly name: string;
  readonly path: string;
  readonly children: Node[];
}

function treeOf(paths: readonly string[]): Node[] {
  const roots: Node[] = [];
  const known = new Map<string, Node>();
  const nodeAt = (path: string): Node => {
    const old = known.get(path);
    if (old) return old;
    const slash = path.lastIndexOf("/");
    const node = { name: path.slice(slash + 1), path, children: [] };
    known.set(path, node);
    (slash < 0 ? roots : nodeAt(path.slice(0, slash)).children).push(node);
    return node;
  };
  for (const path of paths) nodeAt(path);
  return roots;
}

interface TreeProps extends KeyValuesProps {
  readonly nodes: readonly Node[];
  readonly isOpen: boolean;
}

function Tree({ nodes, isOpen, ...rest }: TreeProps) {
  if (nodes.length === 0) return <Nothing>No key has this in its name.</Nothing>;
  return (
    <ul class="tree">
      {nodes.slice(0, MAX_CHILDREN).map((node) => (
        <Branch key={node.path} node={node} isOpen={isOpen} {...rest} />
      ))}
      {nodes.length > MAX_CHILDREN && (
        <li class="faint">{`… ${plural(nodes.length - MAX_CHILDREN, "further key")}`}</li>
      )}
    </ul>
  );
}

function Branch({ node, isOpen, ...rest }: Omit<TreeProps, "nodes"> & { readonly node: Node }) {
  const isFolder = node.children.length > 0;
  const [isShown, setShown] = useState(isFolder && isOpen);
  useEffect(() => setShown(isFolder && isOpen), [isFolder, isOpen]);
  return (
    <li>
      <details open={isShown} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
        <summary>
          <span class="mono wrap">{visible(node.name)}</span>
          {isFolder && <span class="faint">{node.children.length}</span>}
        </summary>
        {isShown && (
          <div class="inside">
            <Value path={node.path} isFolder={isFolder} {...rest} />
            {isFolder && <Tree nodes={node.children} isOpen={isOpen} {...rest} />}
          </div>
        )}
      </details>
    </li>
  );
}

function Value({
  address,
  path,
  isFolder,
  operations,
}: KeyValuesProps & { readonly path: string; readonly isFolder: boolean }) {
  const loaded = useRead<{ readonly json: string }>(
    `${address}/${path}`,
    async (signal) => {
      const value = await readRuntime<unknown>(
        `accounts/${encodeURIComponent(address)}/kv?key=${encodeURIComponent(path)}`,
        signal,
      );
      return value === undefined ? undefined : { json: JSON.stringify(value) };
    },
    runtimeChanges.value,
  );
  if (isFolder && loaded.value === undefined) return null; // a folder without a value of its own
  const history = historyOf(path, address, operations);
  return (
    <WhenRead loaded={loaded} missing="It was deleted.">
      {({ json }) => (
        <>
          <Code text={prettyJson(json)} language="json" />
          {history.length > 0 && (
            <ol class="plain history" aria-label="History">
              {history.map(({ hash, at, before, after }) => (
                <li key={hash}>
                  <OperationLink hash={hash}>{clockText(at)}</OperationLink>
                  <Values before={before} after={after} />
                </li>
              ))}
            </ol>
          )}
        </>
      )}
    </WhenRead>
  );
}

/** Changes of a key by the latest operations, newest first. */
function historyOf(path: string, address: string, operations: readonly Operation[]) {
  return operations
    .flatMap(({ hash, at, trace }) => {
      const change =
        trace && changesOf(trace.call).find((each) => each.address === address && each.key === path);
      return change ? [{ hash, at, before: change.before, after: change.after }] : [];
    })
    .slice(0, HISTORY);
}
