import { z } from 'zod'
import { LANDING_KINDS } from '../../domain/landing.ts'
import { supplied, text } from '../field.ts'
import type { ConflictView, LandingView, SlotView } from '../review-views.ts'
import { type Route, returns } from '../route.ts'
import type { TaskView } from '../views.ts'
import { hex, repo } from './repos.ts'
import { snapshot } from './work.ts'

const slot = () => supplied(z.int().min(1), 'The fencing number granted.')
const task = () => supplied(text(64), 'The task.')
const paths = (description: string) => supplied(z.array(text(4_096)).max(20_000), description)

/** For clients that move trunk; no commands. All but `slot.take` are fenced by the slot's number. */
export const trunkSlotRoutes = {
  'slot.take': {
    summary: "Take the repo's merge slot, for one move of trunk.",
    group: null,
    mcp: false,
    input: () =>
      z.strictObject({
        repo: repo(),
        kind: supplied(z.enum([...LANDING_KINDS, 'sync']), 'What for.'),
        task: supplied(text(64).nullable(), 'The task; none for a sync.'),
        clone: supplied(text(100), 'Which clone asks.'),
        remote: supplied(text(100).nullable(), "The team's remote; null: trunk is a clone's own."),
        tree: supplied(hex().nullable(), "What the task's workspace holds; null: it is not here."),
        left: supplied(
          z.int().min(1).nullable().default(null),
          'The number that a process of this clone, dead by now, was granted.',
        ),
      }),
    output: returns<SlotView>(),
  },
  'slot.free': {
    summary: 'Give the merge slot back.',
    group: null,
    mcp: false,
    input: () => z.strictObject({ repo: repo(), slot: slot() }),
    output: returns<{ readonly slot: number }>(),
  },
  'landing.open': {
    summary: 'Write down a move of trunk that is about to be made.',
    group: null,
    mcp: false,
    input: () =>
      z.strictObject({
        repo: repo(),
        slot: slot(),
        task: task(),
        kind: supplied(z.enum(LANDING_KINDS), 'What moves trunk.'),
        old: supplied(hex().nullable(), 'Where trunk is.'),
        new: supplied(hex().nullable(), 'Where it is to be.'),
        patch: supplied(text(200), 'Identity of what moves.'),
        files: paths('Paths that differ.'),
        merge: supplied(
          z
            .strictObject({
              verdict: z.int().min(1),
              tree: hex(),
              carried: z
                .strictObject({
                  base: hex().nullable(),
                  tip: hex(),
                  tree: hex(),
                  patch: text(200),
                  over: z.array(text(4_096)).max(20_000),
                })
                .nullable(),
            })
            .nullable(),
          'The approval it rests on; null for an undo and a revert.',
        ),
      }),
    output: returns<LandingView>(),
  },
  'landing.close': {
    summary: 'Say what became of a move of trunk.',
    group: null,
    mcp: false,
    input: () =>
      z.strictObject({
        repo: repo(),
        slot: slot(),
        landing: supplied(z.int().min(1), 'The slot it was opened under.'),
        landed: supplied(z.boolean(), 'Whether trunk moved.'),
      }),
    output: returns<TaskView>(),
  },
  'landing.conflict': {
    summary: 'Say that a task conflicts with trunk.',
    group: null,
    mcp: false,
    input: () =>
      z.strictObject({
        repo: repo(),
        slot: slot(),
        task: task(),
        conflicted: paths('Files that conflict.'),
        checkpoint: supplied(
          z.strictObject({ message: text(2_000), ...snapshot() }).nullable(),
          'What the workspace holds after it was brought onto trunk; null: it is not here.',
        ),
      }),
    output: returns<{
      readonly task: TaskView
      readonly conflicts: readonly ConflictView[]
    }>(),
  },
  'landing.stale': {
    summary: 'Say that an approval did not carry to a newer trunk.',
    group: null,
    mcp: false,
    input: () =>
      z.strictObject({
        repo: repo(),
        slot: slot(),
        task: task(),
        verdict: supplied(z.int().min(1), 'The verdict.'),
        why: supplied(text(1_000), 'Why.'),
      }),
    output: returns<TaskView>(),
  },
  'trunk.note': {
    summary: 'Say that trunk was moved outside of av.',
    group: null,
    mcp: false,
    input: () =>
      z.strictObject({
        repo: repo(),
        slot: slot(),
        old: supplied(hex().nullable(), 'Where it was.'),
        new: supplied(hex().nullable(), 'Where it is.'),
        forced: supplied(z.boolean(), 'What it was is no part of what it is.'),
      }),
    output: returns<{ readonly position: number }>(),
  },
  'trunk.landed': {
    summary: "Say that a task's patch is on trunk already.",
    group: null,
    mcp: false,
    input: () =>
      z.strictObject({
        repo: repo(),
        slot: slot(),
        task: task(),
        commit: supplied(hex(), 'The commit on trunk.'),
      }),
    output: returns<TaskView>(),
  },
} as const satisfies Record<string, Route>
