// Of toad-cache fastify uses one class: as an ES module the others are left out of the bundle.
export { FifoMap } from "../node_modules/toad-cache/dist/toad-cache.mjs";
