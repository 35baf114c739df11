CREATE TABLE "reading_session" (
	"repo" text COLLATE "C" NOT NULL,
	"session" text COLLATE "C" NOT NULL,
	"resets" integer NOT NULL,
	"deliveries" integer NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "reading_session_repo_session_pk" PRIMARY KEY("repo","session")
);
--> statement-breakpoint
CREATE TABLE "sent_item" (
	"repo" text COLLATE "C" NOT NULL,
	"session" text COLLATE "C" NOT NULL,
	"actor" text COLLATE "C" NOT NULL,
	"item" text COLLATE "C" NOT NULL,
	"tier" text COLLATE "C" NOT NULL,
	"hash" text COLLATE "C" NOT NULL,
	"delivery" integer NOT NULL,
	"receipt" text COLLATE "C" NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "sent_item_repo_session_actor_item_pk" PRIMARY KEY("repo","session","actor","item")
);
--> statement-breakpoint
ALTER TABLE "reading_session" ADD CONSTRAINT "reading_session_repo_repo_id_fk" FOREIGN KEY ("repo") REFERENCES "repo"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sent_item" ADD CONSTRAINT "sent_item_repo_session_reading_session_repo_session_fk" FOREIGN KEY ("repo","session") REFERENCES "reading_session"("repo","session") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "reading_session_seen_at_index" ON "reading_session" USING btree ("seen_at");