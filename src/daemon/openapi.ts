import { z } from 'zod'
import { isCall, ROUTE_NAMES, routes } from '../api/routes.ts'
import { BODY_BYTES_MAX } from '../api/wire.ts'
import { FAULTS } from '../domain/fault.ts'
import { LIFECYCLE } from '../domain/lifecycle.ts'

/** OpenAPI 3.1, from the table of routes: what every client of the daemon may call. */
export function openApiDocument(version: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'av',
      version,
      description: `Calls take one JSON object of at most ${BODY_BYTES_MAX} bytes.`,
    },
    paths: Object.fromEntries(
      ROUTE_NAMES.filter(isCall).map((name) => [`/v1/${name}`, { post: operation(name) }]),
    ),
    components: { parameters: CALLER, responses: { refused: REFUSED } },
  }
}

function operation(name: (typeof ROUTE_NAMES)[number]) {
  const { summary, input } = routes[name]
  return {
    operationId: name,
    summary,
    ...transitionsOf(name),
    parameters: Object.keys(CALLER).map((key) => ({ $ref: `#/components/parameters/${key}` })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: jsonSchema(input()) } },
    },
    responses: {
      200: {
        description: 'Done.',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['ok', 'data', 'warnings'],
              properties: {
                ok: { const: true },
                data: {},
                warnings: { type: 'array', items: { type: 'string' } },
              },
            },
          },
        },
      },
      default: { $ref: '#/components/responses/refused' },
    },
  }
}

/** What the call does to a task, from the table it is judged by. */
function transitionsOf(name: string) {
  const rows = LIFECYCLE.filter(({ event }) => event === name)
  const shown = rows.map(({ from, to, when }) => ({ from, to, ...(when !== null && { when }) }))
  return shown.length === 0 ? {} : { 'x-transitions': shown }
}

/** The schema of what a caller sends, without what only a command line makes of a field. */
function jsonSchema(schema: z.ZodType) {
  return z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema: node }) => {
      for (const key of ['positional', 'short', 'supplied', 'value', 'flag']) delete node[key]
    },
  })
}

const header = (name: string, required: boolean, schema: object, description: string) => ({
  name,
  in: 'header',
  required,
  schema,
  description,
})
const text = { type: 'string' }

const CALLER = {
  actor: header('av-actor', true, text, 'Who calls; percent-encoded.'),
  kind: header(
    'av-actor-kind',
    false,
    { enum: ['human', 'agent'], default: 'agent' },
    'What the caller is.',
  ),
  session: header('av-session', false, text, "The caller's conversation; percent-encoded."),
  generation: header(
    'av-generation',
    false,
    { type: 'integer', minimum: 0 },
    'The generation of the claim a write is made under.',
  ),
}

const REFUSED = {
  description: 'Refused; the code says why, the status follows from it.',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        required: ['ok', 'error'],
        properties: {
          ok: { const: false },
          error: {
            type: 'object',
            required: ['code', 'message', 'remediation', 'detail'],
            properties: {
              code: { enum: Object.keys(FAULTS) },
              message: text,
              remediation: text,
              detail: { type: 'object' },
            },
          },
        },
      },
    },
  },
}
