// Limits of one guest environment, in units that do not depend on the machine.

/** Memory that QuickJS may allocate; beyond it the guest stops with an error that it cannot catch. */
export const GUEST_MEMORY_BYTES = 64 * 1024 * 1024;
/** Linear memory of an instance, in wasm pages: the guest's memory, QuickJS's own data and 25 % for fragmentation. */
export const MAX_PAGES = 1400;
/** Guest stack; the linked wasm stack is 1 MB. Beyond it: a RangeError that the guest can catch. */
export const GUEST_STACK_BYTES = 448 * 1024;
/** Lowest address of the stack, which starts at 1 MB: the engine's wasm traps below (tools/engine/rewrite-wasm.mjs). */
export const STACK_BOTTOM = 384 * 1024;
/** One in this many restores is compared with its image, byte for byte. */
export const RESTORES_PER_CHECK = 1_000;
/** Calls in a row ended by an engine fault before the engine must prove that it works. */
export const FAULTS_BEFORE_PROOF = 8;
/**
 * Gas reserved beyond the caller's limit. QuickJS checks for interrupts only every 10,000 polls; until then the guest
 * runs on this reserve, and when that is used up too the wasm traps.
 */
export const GAS_RESERVE = 8_000_000;
/** An instance larger than this is discarded after its call: wasm memory cannot shrink. */
export const RETIRE_BYTES = 32 * 1024 * 1024;
/** Instances created in advance: enough for a call that calls another one. Each takes 2.3 MB. */
export const READY_INSTANCES = 3;
/**
 * Instances kept warm once created; the protocol allows five live calls per operation, and operations may wait for
 * answers.
 */
export const WARM_INSTANCES = 6;
/** Limit of live calls per engine, over all waiting operations. */
export const MAX_LIVE_CALLS = 64;
/**
 * Linear memory of all live calls above which no further call starts: operations that wait for an answer keep theirs.
 */
export const LIVE_BYTES = 152 * 1024 * 1024;
/**
 * Memory for the differences of functions' images to the base image: of one, and of all. A module that fills more
 * memory at its top level is evaluated on each call. mathjs, the largest package tried, fills 21 MB; an instance with a
 * full image stays below `RETIRE_BYTES`. There is room for three such functions.
 */
export const FUNCTION_IMAGE_BYTES = 24 * 1024 * 1024;
export const FUNCTION_CACHE_BYTES = 72 * 1024 * 1024;
/** Output limit of one decompression: a small body must not grow beyond the guest's memory. */
export const MAX_DECOMPRESSED_BYTES = 32 * 1024 * 1024;
/**
 * Length of a URL's host as written. Internet names have at most 253 characters; the cost of internationalised names
 * grows with the square of their length.
 */
export const MAX_HOST_LENGTH = 512;
/** What the worker thread that runs the engine must be started with (`resourceLimits.stackSizeMb`): with less, deep
 *  recursion ends in the host's own stack overflow, at a depth that is not the same every time. */
export const WORKER_STACK_MB = 64;
