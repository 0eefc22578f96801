// The kinds of JSON Schema that describe the HTTP API and the configuration. TypeBox's own `Type` object holds all of its
// kinds, most of which every start would load for nothing.
export {
  Array,
  Boolean,
  Integer,
  Intersect,
  Literal,
  Null,
  Number,
  Object,
  Optional,
  Record,
  String,
  Union,
  Unknown,
} from "@sinclair/typebox";
