CREATE TABLE "checkpoint" (
	"repo" text COLLATE "C" NOT NULL,
	"position" bigint NOT NULL,
	"task" text COLLATE "C" NOT NULL,
	"generation" integer NOT NULL,
	"commit" text COLLATE "C" NOT NULL,
	"change" text COLLATE "C" NOT NULL,
	"base" text COLLATE "C",
	"message" text COLLATE "C" NOT NULL,
	"patch" text COLLATE "C" NOT NULL,
	"content" jsonb NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "checkpoint_repo_position_pk" PRIMARY KEY("repo","position")
);
--> statement-breakpoint
CREATE TABLE "claim" (
	"repo" text COLLATE "C" NOT NULL,
	"task" text COLLATE "C" NOT NULL,
	"generation" integer NOT NULL,
	"actor" text COLLATE "C" NOT NULL,
	"session" text COLLATE "C",
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "claim_repo_task_generation_pk" PRIMARY KEY("repo","task","generation")
);
--> statement-breakpoint
CREATE TABLE "clock_shift" (
	"id" integer PRIMARY KEY NOT NULL,
	"millis" bigint NOT NULL,
	CONSTRAINT "clock_shift_one_row" CHECK ("clock_shift"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "convention" (
	"repo" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"glob" text COLLATE "C" NOT NULL,
	"text" text COLLATE "C" NOT NULL,
	"required" boolean NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"author" text COLLATE "C" NOT NULL,
	"accepted_by" text COLLATE "C",
	"created_position" bigint NOT NULL,
	"position" bigint NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "convention_repo_id_pk" PRIMARY KEY("repo","id"),
	CONSTRAINT "convention_repo_created_position_unique" UNIQUE("repo","created_position")
);
--> statement-breakpoint
CREATE TABLE "fact" (
	"repo" text COLLATE "C" NOT NULL,
	"position" bigint NOT NULL,
	"event" text COLLATE "C" NOT NULL,
	"subject" text COLLATE "C" NOT NULL,
	"actor" text COLLATE "C" NOT NULL,
	"session" text COLLATE "C",
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "fact_repo_position_pk" PRIMARY KEY("repo","position")
);
--> statement-breakpoint
CREATE TABLE "file_index" (
	"repo" text COLLATE "C" NOT NULL,
	"version" text COLLATE "C" NOT NULL,
	"blob" text COLLATE "C" NOT NULL,
	"language" text COLLATE "C" NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"doc" "bytea" NOT NULL,
	CONSTRAINT "file_index_repo_version_blob_pk" PRIMARY KEY("repo","version","blob")
);
--> statement-breakpoint
CREATE TABLE "last_receipt" (
	"repo" text COLLATE "C" NOT NULL,
	"task" text COLLATE "C" NOT NULL,
	"actor" text COLLATE "C" NOT NULL,
	"session" text COLLATE "C" NOT NULL,
	"receipt" text COLLATE "C" NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "last_receipt_repo_task_actor_session_pk" PRIMARY KEY("repo","task","actor","session")
);
--> statement-breakpoint
CREATE TABLE "receipt" (
	"repo" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"task" text COLLATE "C" NOT NULL,
	"actor" text COLLATE "C" NOT NULL,
	"session" text COLLATE "C",
	"manifest" text COLLATE "C" NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "receipt_repo_id_pk" PRIMARY KEY("repo","id")
);
--> statement-breakpoint
CREATE TABLE "record" (
	"repo" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"position" bigint NOT NULL,
	"task" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"summary" text COLLATE "C" NOT NULL,
	"body" text COLLATE "C" NOT NULL,
	"reply_to" text COLLATE "C",
	"receipt" text COLLATE "C",
	"author" text COLLATE "C" NOT NULL,
	"session" text COLLATE "C",
	"redacted" integer NOT NULL,
	"purged" boolean NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "record_repo_id_pk" PRIMARY KEY("repo","id"),
	CONSTRAINT "record_repo_position_unique" UNIQUE("repo","position")
);
--> statement-breakpoint
CREATE TABLE "record_anchor" (
	"repo" text COLLATE "C" NOT NULL,
	"record" text COLLATE "C" NOT NULL,
	"ordinal" integer NOT NULL,
	"path" text COLLATE "C" NOT NULL,
	"symbol" text COLLATE "C",
	"hash" text COLLATE "C",
	CONSTRAINT "record_anchor_repo_record_ordinal_pk" PRIMARY KEY("repo","record","ordinal")
);
--> statement-breakpoint
CREATE TABLE "repo" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"trunk" text COLLATE "C" NOT NULL,
	"trunk_commit" text COLLATE "C",
	"position" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "repo_actor" (
	"repo" text COLLATE "C" NOT NULL,
	"actor" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	CONSTRAINT "repo_actor_repo_actor_pk" PRIMARY KEY("repo","actor")
);
--> statement-breakpoint
CREATE TABLE "repo_remote" (
	"repo" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"url" text COLLATE "C" NOT NULL,
	CONSTRAINT "repo_remote_repo_name_pk" PRIMARY KEY("repo","name")
);
--> statement-breakpoint
CREATE TABLE "repo_root" (
	"repo" text COLLATE "C" NOT NULL,
	"commit" text COLLATE "C" NOT NULL,
	CONSTRAINT "repo_root_repo_commit_pk" PRIMARY KEY("repo","commit")
);
--> statement-breakpoint
CREATE TABLE "supersession" (
	"repo" text COLLATE "C" NOT NULL,
	"record" text COLLATE "C" NOT NULL,
	"ordinal" integer NOT NULL,
	"superseded" text COLLATE "C" NOT NULL,
	CONSTRAINT "supersession_repo_record_superseded_pk" PRIMARY KEY("repo","record","superseded")
);
--> statement-breakpoint
CREATE TABLE "task" (
	"repo" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"goal" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"owner" text COLLATE "C",
	"owner_session" text COLLATE "C",
	"generation" integer NOT NULL,
	"lease_expires_at" timestamp with time zone,
	"base" text COLLATE "C",
	"head" text COLLATE "C",
	"change" text COLLATE "C",
	"parent" text COLLATE "C",
	"flags" text[] NOT NULL,
	"position" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "task_repo_id_pk" PRIMARY KEY("repo","id")
);
--> statement-breakpoint
CREATE TABLE "tree" (
	"repo" text COLLATE "C" NOT NULL,
	"key" text COLLATE "C" NOT NULL,
	"doc" "bytea" NOT NULL,
	"touched_at" timestamp with time zone NOT NULL,
	CONSTRAINT "tree_repo_key_pk" PRIMARY KEY("repo","key")
);
--> statement-breakpoint
ALTER TABLE "checkpoint" ADD CONSTRAINT "checkpoint_repo_task_task_repo_id_fk" FOREIGN KEY ("repo","task") REFERENCES "task"("repo","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "claim" ADD CONSTRAINT "claim_repo_task_task_repo_id_fk" FOREIGN KEY ("repo","task") REFERENCES "task"("repo","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "convention" ADD CONSTRAINT "convention_repo_repo_id_fk" FOREIGN KEY ("repo") REFERENCES "repo"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "fact" ADD CONSTRAINT "fact_repo_repo_id_fk" FOREIGN KEY ("repo") REFERENCES "repo"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_index" ADD CONSTRAINT "file_index_repo_repo_id_fk" FOREIGN KEY ("repo") REFERENCES "repo"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "last_receipt" ADD CONSTRAINT "last_receipt_repo_receipt_receipt_repo_id_fk" FOREIGN KEY ("repo","receipt") REFERENCES "receipt"("repo","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "receipt" ADD CONSTRAINT "receipt_repo_task_task_repo_id_fk" FOREIGN KEY ("repo","task") REFERENCES "task"("repo","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "record" ADD CONSTRAINT "record_repo_task_task_repo_id_fk" FOREIGN KEY ("repo","task") REFERENCES "task"("repo","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "record" ADD CONSTRAINT "record_repo_reply_to_record_repo_id_fk" FOREIGN KEY ("repo","reply_to") REFERENCES "record"("repo","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "record_anchor" ADD CONSTRAINT "record_anchor_repo_record_record_repo_id_fk" FOREIGN KEY ("repo","record") REFERENCES "record"("repo","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repo_actor" ADD CONSTRAINT "repo_actor_repo_repo_id_fk" FOREIGN KEY ("repo") REFERENCES "repo"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repo_remote" ADD CONSTRAINT "repo_remote_repo_repo_id_fk" FOREIGN KEY ("repo") REFERENCES "repo"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "repo_root" ADD CONSTRAINT "repo_root_repo_repo_id_fk" FOREIGN KEY ("repo") REFERENCES "repo"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "supersession" ADD CONSTRAINT "supersession_repo_record_record_repo_id_fk" FOREIGN KEY ("repo","record") REFERENCES "record"("repo","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "supersession" ADD CONSTRAINT "supersession_superseded_fk" FOREIGN KEY ("repo","superseded") REFERENCES "record"("repo","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "task" ADD CONSTRAINT "task_repo_repo_id_fk" FOREIGN KEY ("repo") REFERENCES "repo"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "task" ADD CONSTRAINT "task_repo_parent_task_repo_id_fk" FOREIGN KEY ("repo","parent") REFERENCES "task"("repo","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tree" ADD CONSTRAINT "tree_repo_repo_id_fk" FOREIGN KEY ("repo") REFERENCES "repo"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "checkpoint_repo_task_position_index" ON "checkpoint" USING btree ("repo","task","position");--> statement-breakpoint
CREATE INDEX "fact_purged" ON "fact" USING btree ("repo","position") WHERE event = 'purged';--> statement-breakpoint
CREATE INDEX "file_index_unparsable" ON "file_index" USING btree ("repo","version","blob") WHERE status = 'unparsable';--> statement-breakpoint
CREATE INDEX "receipt_repo_task_at_index" ON "receipt" USING btree ("repo","task","at");--> statement-breakpoint
CREATE INDEX "receipt_repo_session_at_index" ON "receipt" USING btree ("repo","session","at");--> statement-breakpoint
CREATE INDEX "record_repo_task_position_index" ON "record" USING btree ("repo","task","position");--> statement-breakpoint
CREATE INDEX "record_anchor_path" ON "record_anchor" USING btree ("repo",left("path", 400));--> statement-breakpoint
CREATE INDEX "repo_remote_url_index" ON "repo_remote" USING hash ("url");--> statement-breakpoint
CREATE INDEX "repo_root_commit_index" ON "repo_root" USING btree ("commit");--> statement-breakpoint
CREATE INDEX "supersession_repo_superseded_index" ON "supersession" USING btree ("repo","superseded");--> statement-breakpoint
CREATE INDEX "task_repo_position_index" ON "task" USING btree ("repo","position");