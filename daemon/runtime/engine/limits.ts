// Limits of one guest environment. All are counted in things that do not depend on the machine.

/** Memory that QuickJS may allocate; above it the guest stops with an error that it cannot catch. */
export const GUEST_MEMORY_BYTES = 64 * 1024 * 1024;
/** Linear memory of an instance, in wasm pages: the guest's memory, QuickJS's own data and 25 % for fragmentation. */
export const MAX_PAGES = 1400;
/** Guest stack; the linked wasm stack is 1 MB. Beyond it: a RangeError that the guest can catch. */
export const GUEST_STACK_BYTES = 448 * 1024;
/** Lowest address of the stack, which starts at 1 MB: the engine's wasm traps below (tools/engine/rewrite-wasm.mjs). */
export const STACK_BOTTOM = 384 * 1024;
/** One in so many restores is compared with its image, byte for byte. */
export const RESTORES_PER_CHECK = 1_000;
/** Calls in a row that end by a fault of the engine before it is asked to prove that it works. */
export const FAULTS_BEFORE_PROOF = 8;
/**
 * Gas kept back beyond the caller's limit. QuickJS looks at the interrupt only every 10,000 polls; until then the
 * guest runs on this reserve, and when that ends too the wasm traps.
 */
export const GAS_RESERVE = 8_000_000;
/** An instance whose real memory grew beyond this is thrown away after its call: wasm memory cannot shrink. */
export const RETIRE_BYTES = 32 * 1024 * 1024;
/** Instances made in advance: enough for a call that calls another one. Each takes 2.3 MB. */
export const READY_INSTANCES = 3;
/** Instances kept warm once they were needed; the protocol allows five live calls in one operation, and operations may wait for answers. */
export const WARM_INSTANCES = 6;
/** Live calls of one engine at once, over all waiting operations. */
export const MAX_LIVE_CALLS = 64;
/** Linear memory of all live calls together, before one more may begin: operations that wait for an answer keep theirs. */
export const LIVE_BYTES = 152 * 1024 * 1024;
/** Memory for the differences of functions' images to the base image: of one, and of all. A module that fills more
 *  memory at its top level is evaluated on each call. */
export const FUNCTION_IMAGE_BYTES = 8 * 1024 * 1024;
export const FUNCTION_CACHE_BYTES = 48 * 1024 * 1024;
/** What one decompression may give: a small body must not become more than the guest's memory. */
export const MAX_DECOMPRESSED_BYTES = 32 * 1024 * 1024;
/**
 * Characters of a URL's host, as they are written. Names of the internet have 253 at most; the work of internationalised
 * names grows with the square of their length.
 */
export const MAX_HOST_LENGTH = 512;
/** What the worker thread that runs the engine must be started with (`resourceLimits.stackSizeMb`): with less, deep
 *  recursion ends in the host's own stack overflow, at a depth that is not the same every time. */
export const WORKER_STACK_MB = 64;
