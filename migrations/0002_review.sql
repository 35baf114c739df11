CREATE TABLE "attestation" (
	"repo" text COLLATE "C" NOT NULL,
	"position" bigint NOT NULL,
	"task" text COLLATE "C" NOT NULL,
	"commit" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"command" text COLLATE "C" NOT NULL,
	"exit_code" integer NOT NULL,
	"log" text COLLATE "C" NOT NULL,
	"dirty" boolean NOT NULL,
	"actor" text COLLATE "C" NOT NULL,
	"session" text COLLATE "C",
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "attestation_repo_position_pk" PRIMARY KEY("repo","position")
);
--> statement-breakpoint
CREATE TABLE "bundle" (
	"repo" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"task" text COLLATE "C" NOT NULL,
	"base" text COLLATE "C",
	"tip" text COLLATE "C" NOT NULL,
	"size" bigint NOT NULL,
	"parts" integer NOT NULL,
	"is_complete" boolean NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "bundle_repo_id_pk" PRIMARY KEY("repo","id")
);
--> statement-breakpoint
CREATE TABLE "bundle_part" (
	"repo" text COLLATE "C" NOT NULL,
	"bundle" text COLLATE "C" NOT NULL,
	"ordinal" integer NOT NULL,
	"data" "bytea" NOT NULL,
	CONSTRAINT "bundle_part_repo_bundle_ordinal_pk" PRIMARY KEY("repo","bundle","ordinal")
);
--> statement-breakpoint
CREATE TABLE "landing" (
	"repo" text COLLATE "C" NOT NULL,
	"slot" integer NOT NULL,
	"task" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"old" text COLLATE "C",
	"new" text COLLATE "C",
	"patch" text COLLATE "C" NOT NULL,
	"verdict" bigint,
	"files" text[] NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"position" bigint,
	"actor" text COLLATE "C" NOT NULL,
	"session" text COLLATE "C",
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "landing_repo_slot_pk" PRIMARY KEY("repo","slot")
);
--> statement-breakpoint
CREATE TABLE "thread_resolution" (
	"repo" text COLLATE "C" NOT NULL,
	"record" text COLLATE "C" NOT NULL,
	"position" bigint NOT NULL,
	"actor" text COLLATE "C" NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "thread_resolution_repo_record_pk" PRIMARY KEY("repo","record")
);
--> statement-breakpoint
CREATE TABLE "trunk_move" (
	"repo" text COLLATE "C" NOT NULL,
	"position" bigint NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"old" text COLLATE "C",
	"new" text COLLATE "C",
	"forced" boolean NOT NULL,
	"task" text COLLATE "C",
	"actor" text COLLATE "C" NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "trunk_move_repo_position_pk" PRIMARY KEY("repo","position")
);
--> statement-breakpoint
CREATE TABLE "verdict" (
	"repo" text COLLATE "C" NOT NULL,
	"position" bigint NOT NULL,
	"task" text COLLATE "C" NOT NULL,
	"result" text COLLATE "C" NOT NULL,
	"base" text COLLATE "C",
	"tip" text COLLATE "C" NOT NULL,
	"tree" text COLLATE "C" NOT NULL,
	"patch" text COLLATE "C" NOT NULL,
	"trunk" text COLLATE "C",
	"is_self" boolean NOT NULL,
	"carried_from" bigint,
	"carried_over" text[] NOT NULL,
	"record" text COLLATE "C",
	"actor" text COLLATE "C" NOT NULL,
	"session" text COLLATE "C",
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "verdict_repo_position_pk" PRIMARY KEY("repo","position")
);
--> statement-breakpoint
ALTER TABLE "checkpoint" ADD COLUMN "tree" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "repo" ADD COLUMN "trunk_home" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "repo" ADD COLUMN "slot" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "repo" ADD COLUMN "slot_actor" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "repo" ADD COLUMN "slot_session" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "repo" ADD COLUMN "slot_task" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "repo" ADD COLUMN "slot_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "repo" ADD COLUMN "slot_expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "conflicted" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "approval" bigint;--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "approved_by" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "approval_void" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "offered_to" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "landing" integer;--> statement-breakpoint
ALTER TABLE "task" ADD COLUMN "landed" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "attestation" ADD CONSTRAINT "attestation_repo_task_task_repo_id_fk" FOREIGN KEY ("repo","task") REFERENCES "task"("repo","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bundle" ADD CONSTRAINT "bundle_repo_task_task_repo_id_fk" FOREIGN KEY ("repo","task") REFERENCES "task"("repo","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bundle_part" ADD CONSTRAINT "bundle_part_repo_bundle_bundle_repo_id_fk" FOREIGN KEY ("repo","bundle") REFERENCES "bundle"("repo","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "landing" ADD CONSTRAINT "landing_repo_task_task_repo_id_fk" FOREIGN KEY ("repo","task") REFERENCES "task"("repo","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "thread_resolution" ADD CONSTRAINT "thread_resolution_repo_record_record_repo_id_fk" FOREIGN KEY ("repo","record") REFERENCES "record"("repo","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trunk_move" ADD CONSTRAINT "trunk_move_repo_repo_id_fk" FOREIGN KEY ("repo") REFERENCES "repo"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verdict" ADD CONSTRAINT "verdict_repo_task_task_repo_id_fk" FOREIGN KEY ("repo","task") REFERENCES "task"("repo","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verdict" ADD CONSTRAINT "verdict_repo_record_record_repo_id_fk" FOREIGN KEY ("repo","record") REFERENCES "record"("repo","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attestation_repo_task_position_index" ON "attestation" USING btree ("repo","task","position");--> statement-breakpoint
CREATE INDEX "bundle_repo_tip_index" ON "bundle" USING btree ("repo","tip");--> statement-breakpoint
CREATE INDEX "bundle_repo_task_index" ON "bundle" USING btree ("repo","task");--> statement-breakpoint
CREATE INDEX "landing_repo_task_slot_index" ON "landing" USING btree ("repo","task","slot");--> statement-breakpoint
CREATE UNIQUE INDEX "landing_one_open" ON "landing" USING btree ("repo") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "verdict_repo_task_position_index" ON "verdict" USING btree ("repo","task","position");