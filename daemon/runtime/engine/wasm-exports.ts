// The exports of the metered QuickJS module that the binding uses. The build tool removes all others, because each
// export costs time at instantiation.

/** Addresses of values, strings and buffers in the guest's linear memory. */
export type Pointer = number;

export interface WasmExports {
  readonly memory: WebAssembly.Memory;
  readonly __stack_pointer: WebAssembly.Global;
  /** Gas left; a loop header that reads a negative value traps. */
  readonly gas: WebAssembly.Global;
  /** Virtual memory size in pages of 64 KB: the only size visible to the guest's allocator. */
  readonly pages: WebAssembly.Global;
  /** Lowest address of the stack: the engine traps when the stack pointer goes below it. */
  readonly stack_bottom: WebAssembly.Global;
  /** Limit of virtual growth. */
  readonly max_pages: WebAssembly.Global;
  /** Of a module with hooks: not 0 while they call the host. */
  readonly watched?: WebAssembly.Global;
  _initialize(): void;
  wasm_malloc(size: number): Pointer;
  wasm_free(pointer: Pointer): void;
  qjs_init(): number;
  qjs_set_interrupt_handler(enabled: number): void;
  qjs_set_module_loader(enabled: number): void;
  qjs_set_memory_limit(bytes: number): void;
  qjs_set_max_stack_size(bytes: number): void;
  qjs_run_gc(): void;
  qjs_eval(code: Pointer, length: number, fileName: Pointer, flags: number): Pointer;
  qjs_compile(
    code: Pointer,
    length: number,
    fileName: Pointer,
    evalFlags: number,
    compileFlags: number,
    outLength: Pointer,
  ): Pointer;
  qjs_eval_bytecode(bytes: Pointer, length: number): Pointer;
  qjs_new_string(text: Pointer, length: number): Pointer;
  qjs_new_uint8_array(bytes: Pointer, length: number): Pointer;
  qjs_new_host_function(name: Pointer, nameLength: number, argumentCount: number): Pointer;
  qjs_get_undefined(): Pointer;
  qjs_get_string_len(value: Pointer, outLength: Pointer): Pointer;
  qjs_free_cstring(text: Pointer): void;
  qjs_is_string(value: Pointer): number;
  qjs_is_undefined(value: Pointer): number;
  qjs_is_exception(value: Pointer): number;
  qjs_is_uncatchable_error(value: Pointer): number;
  qjs_is_error(value: Pointer): number;
  qjs_is_promise(value: Pointer): number;
  qjs_promise_state(value: Pointer): number;
  qjs_promise_result(value: Pointer): Pointer;
  qjs_get_typed_array_buffer(
    value: Pointer,
    outOffset: Pointer,
    outLength: Pointer,
    outWidth: Pointer,
  ): Pointer;
  qjs_get_array_buffer(value: Pointer, outLength: Pointer): Pointer;
  qjs_get_global(): Pointer;
  qjs_get_prop_string(object: Pointer, name: Pointer): Pointer;
  qjs_set_prop_string(object: Pointer, name: Pointer, value: Pointer): number;
  qjs_call(fn: Pointer, self: Pointer, count: number, argv: Pointer): Pointer;
  qjs_free_value(value: Pointer): void;
  qjs_dup_value(value: Pointer): Pointer;
  qjs_get_exception(): Pointer;
  qjs_throw(value: Pointer): Pointer;
  qjs_is_job_pending(): number;
  qjs_execute_pending_job(): number;
  qjs_get_runtime_ptr(): Pointer;
  qjs_get_context_ptr(): Pointer;
  qjs_set_runtime_and_context(runtime: Pointer, context: Pointer): void;
}

/** Exports of the original module that survive the rewrite, which adds the other globals above. */
export const KEPT_EXPORTS = [
  "memory",
  "__stack_pointer",
  "_initialize",
  "wasm_malloc",
  "wasm_free",
  "qjs_init",
  "qjs_set_interrupt_handler",
  "qjs_set_module_loader",
  "qjs_set_memory_limit",
  "qjs_set_max_stack_size",
  "qjs_run_gc",
  "qjs_eval",
  "qjs_compile",
  "qjs_eval_bytecode",
  "qjs_new_string",
  "qjs_new_uint8_array",
  "qjs_new_host_function",
  "qjs_get_undefined",
  "qjs_get_string_len",
  "qjs_free_cstring",
  "qjs_is_string",
  "qjs_is_undefined",
  "qjs_is_exception",
  "qjs_is_uncatchable_error",
  "qjs_is_error",
  "qjs_is_promise",
  "qjs_promise_state",
  "qjs_promise_result",
  "qjs_get_typed_array_buffer",
  "qjs_get_array_buffer",
  "qjs_get_global",
  "qjs_get_prop_string",
  "qjs_set_prop_string",
  "qjs_call",
  "qjs_free_value",
  "qjs_dup_value",
  "qjs_get_exception",
  "qjs_throw",
  "qjs_is_job_pending",
  "qjs_execute_pending_job",
  "qjs_get_runtime_ptr",
  "qjs_get_context_ptr",
  "qjs_set_runtime_and_context",
] as const satisfies readonly Exclude<
  keyof WasmExports,
  "gas" | "pages" | "max_pages" | "stack_bottom" | "watched"
>[];
