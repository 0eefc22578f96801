import fc from "fast-check";
import { expect, it } from "vitest";
import { Deque } from "./deque.ts";

const number = (value: number): { value: number } => ({ value });

it("does what an array does", () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("push" as const), count: fc.integer({ min: 1, max: 3_000 }) }),
    fc.record({
      do: fc.constantFrom("shift" as const, "pop" as const),
      count: fc.integer({ min: 1, max: 2_500 }),
    }),
    fc.record({ do: fc.constant("keep" as const), count: fc.integer({ min: 2, max: 5 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const deque = new Deque<{ value: number }>();
      const array: { value: number }[] = [];
      let next = 0;
      for (const { do: what, count } of steps) {
        if (what === "keep") {
          const isKept = ({ value }: { value: number }): boolean => value % count !== 0;
          deque.keep(isKept);
          array.splice(0, array.length, ...array.filter(isKept));
        } else
          for (let i = 0; i < count; i++) {
            if (what === "push") {
              const item = number(next++);
              deque.push(item);
              array.push(item);
            } else expect(deque[what]()).toBe(array[what]());
          }
        expect(deque.size).toBe(array.length);
        expect(deque.newest).toBe(array.at(-1));
      }
      expect([...deque.newestFirst()]).toEqual(array.toReversed());
      expect(deque.slice(2, 5)).toEqual(array.toReversed().slice(2, 7));
    }),
    { numRuns: 60 },
  );
});
