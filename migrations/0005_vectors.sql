CREATE TABLE "vector" (
	"repo" text COLLATE "C" NOT NULL,
	"embedder" text COLLATE "C" NOT NULL,
	"key" text COLLATE "C" NOT NULL,
	"int8s" "bytea" NOT NULL,
	CONSTRAINT "vector_repo_embedder_key_pk" PRIMARY KEY("repo","embedder","key")
);
--> statement-breakpoint
ALTER TABLE "vector" ADD CONSTRAINT "vector_repo_repo_id_fk" FOREIGN KEY ("repo") REFERENCES "repo"("id") ON DELETE no action ON UPDATE no action;