// Keeps the heap of the indexer's thread near the size of the index. Rows die old: the collector of V8 leaves them until the
// heap has grown halfway to its limit, which must be high enough for the largest answer.
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes of growth after which the heap is collected: 30 ms for the rows of hundreds of large operations. */
const GROWTH = 16 * 1024 * 1024;

/** @returns call after each block: collects the heap when it has grown */
export function keepHeapSmall(): () => void {
  let collect: (() => void) | undefined;
  let before = heapInUse();
  return () => {
    if (heapInUse() - before < GROWTH) return;
    collect ??= collector();
    collect();
    before = heapInUse();
  };
}

const heapInUse = (): number => getHeapStatistics().used_heap_size;

/** V8 offers its collector to contexts that are created under this flag. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  try {
    return runInNewContext("gc") as () => void;
  } finally {
    setFlagsFromString("--no-expose-gc"); // it is the flag of the whole process
  }
}
