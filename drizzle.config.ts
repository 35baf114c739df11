import { defineConfig } from 'drizzle-kit'

/**
 * `bunx drizzle-kit generate --name WHAT` writes the next file of `migrations/` from the schema; it needs no server.
 * Then strike `"public".` from it (tables live in whatever schema the connection comes first to) and list it in
 * `src/store/migrations.ts`; test/store/migrations.test.ts fails until both are done.
 */
export default defineConfig({
  dialect: 'postgresql',
  schema: './src/store/schema*.ts',
  out: './migrations',
})
