/** Generated from spec/control.openapi.yaml by `pnpm generate`; never edited. */

export interface paths {
    "/ambiguities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change some ambiguities
         * The others keep their values.
         */
        post: operations["ambiguities.set"];
        /**
         * Set every ambiguity to its default
         * Also those of the start.
         */
        delete: operations["ambiguities.clear"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/annotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set annotations of a transcript
         * They override those of the pipeline with equal keys.
         */
        post: operations["transcripts.annotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/annotators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let an annotator answer by a script
         * The first answer that fits and is not used up is given, else the outcome beside the answers. Without that outcome the
         *     annotator of the server with this name judges.
         */
        post: operations["annotators.set"];
        /**
         * Remove every script
         * The annotators of the server judge again.
         */
        delete: operations["annotators.clear"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move, stop or correct the clock
         * The fields act in the order in which the schema names them.
         */
        post: operations["clock.steer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/faults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a rule
         * As an object, or as its text in `fault`.
         */
        post: operations["faults.add"];
        /**
         * Remove every rule
         * Also those of the start.
         */
        delete: operations["faults.clear"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a key
         * Or replace the one with the same text.
         */
        post: operations["keys.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete a key
         * Requests with it get a 401.
         */
        post: operations["keys.delete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a revocation
         * The key is valid again.
         */
        post: operations["keys.restore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a key
         * Requests with it get a 401, on the annotation surface a 403.
         */
        post: operations["keys.revoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the rate limits
         * All windows begin again.
         */
        post: operations["limits.set"];
        /**
         * Remove the rate limits
         * No request gets a 429 then, but by a fault.
         */
        delete: operations["limits.clear"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read this document
         * It needs no token.
         */
        get: operations["description.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a project, with transcripts if they are given
         * As in a seed. Nothing is created if an id exists.
         */
        post: operations["projects.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{project}/transcripts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store a transcript
         * As in a seed, with annotations and times if they are given; no key, limit or fault counts.
         */
        post: operations["transcripts.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the journal
         * The latest requests to both surfaces, oldest first. Keys are redacted, but not in bodies.
         */
        get: operations["requests.list"];
        put?: never;
        post?: never;
        /**
         * Forget requests
         * Empties the journal, or forgets the requests for which every parameter holds.
         */
        delete: operations["requests.clear"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore the start
         * Restores seed, limits, faults, ambiguities and annotators, and empties the journal. The clock keeps its time.
         */
        post: operations["state.reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/submit-error": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let annotation jobs fail
         * Until it is turned off, or the server is reset.
         */
        post: operations["submitError.set"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/violations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List how requests departed from the interface
         * Distinct ones since the start or the last reset, in the order of the first request of each. They do not depend on the
         *     answers, which are those of the service.
         */
        get: operations["violations.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/world": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the whole state
         * One JSON value that is a seed, too, such as for `svc mock --seed`.
         */
        get: operations["state.snapshot"];
        /**
         * Replace the whole state
         * Without keys in it the server keeps its own. The journal stays.
         */
        put: operations["state.restore"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** Ambiguities by their names; the README of `@svc/reference-server` lists them with their values. */
        Ambiguities: {
            [key: string]: string | number | boolean;
        };
        /** Annotations for a transcript. */
        Annotate: {
            /** Annotations by their keys. */
            annotations: {
                [key: string]: unknown;
            };
            /** The id of the transcript. */
            transcript: string;
        };
        /** An annotator that answers by a script. */
        Annotator: {
            /** Its version. */
            annotator_version?: string;
            /** The answers in their order. */
            answers?: components["schemas"]["Answer"][];
            /** The subject of its judgement. */
            description?: string;
            /** Its name. */
            id: string;
            outcome?: components["schemas"]["Outcome"];
            /** Notes on the outcome. */
            outcome_notes?: string;
            signals?: components["schemas"]["Signals"];
            /** The version of its signals. */
            taxonomy_version?: string;
        };
        /** One answer of a script, an outcome or a refusal. */
        Answer: {
            outcome?: components["schemas"]["Outcome"];
            /** Notes on the outcome. */
            outcome_notes?: string;
            /** The `Retry-After` of the refusal, in seconds. */
            retryAfter?: number;
            signals?: components["schemas"]["Signals"];
            /** The status of a refusal. */
            status?: number;
            /** How many requests it answers. Default all. */
            times?: number;
            when?: components["schemas"]["Condition"];
        };
        /** The clock of the server. */
        Clock: {
            /**
             * The time.
             */
            now: string;
            /** False if it stands. */
            running: boolean;
        };
        /** The conditions of an answer; all fields must hold. */
        Condition: {
            /** A text in a message. */
            contains?: string;
            /** The number of messages. */
            messages?: number;
            /** Fields of the options of the request. */
            options?: {
                [key: string]: unknown;
            };
            /** The role of the message with that text. */
            role?: string;
        };
        /** A refusal. */
        Error: {
            /** The problem. */
            detail: string;
            /** The kind, such as `bad_request`. */
            error: string;
        };
        /** The requests that a rule is for; all fields must hold. Of objects only the named fields are compared. */
        FaultCondition: {
            /** The JSON body, or the text of any other. */
            body?: unknown;
            /** A text in any string of the body. */
            contains?: string;
            /** Headers, credentials redacted. */
            headers?: {
                [key: string]: unknown;
            };
            /** The name of the key. */
            keyName?: string;
            /** The path below the base URL, without the query. */
            path?: string;
            /** The decoded query. */
            query?: {
                [key: string]: unknown;
            };
        };
        /** A fault and the requests that it applies to; the other fields are the parameters of its kind. */
        FaultRule: {
            /** The body of the answer of `status`: a text is sent as it is, any other value as JSON. */
            body?: unknown;
            /** Headers of the answer of `status`. */
            headers?: {
                [key: string]: string;
            };
            /** The kind, such as `lost`, `status` or `latency`. */
            kind: string;
            /** The operation. Default every one. */
            on?: string;
            /** How many requests pass first. */
            skip?: number;
            /** How many requests it applies to. */
            times?: number;
            when?: components["schemas"]["FaultCondition"];
        } & {
            [key: string]: string | number;
        };
        /** A rule in its text form. */
        FaultText: {
            /** Such as `transcripts.upload: lost; times=1`. */
            fault: string;
        };
        /** A key of the server. */
        Key: {
            /** The key: redacted in a list, in clear when it is created. */
            key: string;
            /** The last use, in milliseconds since the epoch. */
            last_used_at: number | null;
            /** A name for people. */
            name?: string;
            /** Its permissions; absent for everything. */
            permissions?: string[];
            /** True if it is revoked. */
            revoked: boolean;
            /** The surfaces that accept it; absent for both. */
            surfaces?: string[];
            /** Its workspace. */
            workspace: string;
        };
        /** A key. */
        KeyText: {
            /** The whole key, in clear. */
            key: string;
        };
        /** The quota of each key on each surface, and of the provider; at least one of the two. */
        Limits: {
            /** How many requests a window accepts. */
            requests?: number;
            /** The quota of all keys together on `POST /v1/annotations`. */
            saturation?: components["schemas"]["Quota"];
            /** The length of a window. */
            windowMs?: number;
        };
        /** The options of a key. */
        NewKey: {
            /** The whole key. Default a new one. */
            key?: string;
            /** A name for people. */
            name?: string;
            /** Its permissions. Default everything. */
            permissions?: ("projects-read" | "projects-write" | "halfpipe-transcripts-write")[];
            /** True if it is revoked. */
            revoked?: boolean;
            /** The surfaces that accept it, with the ambiguity `separateKeys`. Default both. */
            surfaces?: ("annotation" | "workspace")[];
            /** Its workspace. Default the first one. */
            workspace?: string;
        };
        /** A project as in a seed. */
        NewProject: {
            /**
             * The domain pack.
             * @enum {string}
             */
            domain?: "general" | "ai_coding";
            /** Fields that the single read adds. */
            extra?: {
                [key: string]: unknown;
            };
            /** Default a new one. */
            id?: string;
            /** The name. */
            name: string;
            /** Its transcripts in the order of creation. */
            transcripts?: components["schemas"]["NewTranscript"][];
            /** Default the first one. */
            workspace?: string;
        };
        /** The body of an upload, and more. */
        NewTranscript: {
            /** Annotations in place of those of the pipeline. */
            annotations?: {
                [key: string]: unknown;
            };
            /** Default the time of the server. */
            created_at?: string;
            /** Default a new one. */
            id?: string;
            /** The name. */
            name: string;
            /**
             * Default as in an upload.
             * @enum {string}
             */
            processing_status?: "queued" | "skipped" | "error";
            /** The turns as in an upload. */
            turns: {
                [key: string]: unknown;
            }[];
        } & {
            [key: string]: unknown;
        };
        /**
         * From best to worst; `indeterminate` if nothing can be judged.
         * @enum {string}
         */
        Outcome: "strong" | "mixed" | "poor" | "critical" | "indeterminate";
        /** A project of the server. */
        Project: {
            /** When it was created. */
            created_at: string;
            /** The domain pack. */
            domain: string;
            /** Fields that the single read adds. */
            extra: {
                [key: string]: unknown;
            };
            /** The id. */
            id: string;
            /** The time of the latest transcript. */
            latest_transcript_at: string | null;
            /** The name. */
            name: string;
            /** How many transcripts it has. */
            transcript_count: number;
            /** When it was changed. */
            updated_at: string;
            /** Its workspace. */
            workspace: string;
        };
        /** A number of requests in a fixed window. */
        Quota: {
            /** How many requests a window accepts. */
            requests: number;
            /** The length of a window. */
            windowMs: number;
        };
        /** A request of the journal. */
        Request: {
            /** The answer, although a fault may have kept it back. */
            answer: {
                /** Its body as text; absent if it was dropped. */
                body?: string;
                /** Its headers. */
                headers: {
                    [key: string]: string;
                };
            };
            /** The time, in milliseconds since the epoch. */
            at: number;
            /**
             * The journal dropped both bodies, to stay within its bytes.
             * @constant
             */
            bodiesDropped?: true;
            /** The body: the value of JSON, else the text; absent if it was not read, or dropped. */
            body?: unknown;
            /** The size of the body; absent if it was not read. */
            bodyBytes?: number;
            /** How the response went out: `whole`, or what a fault did to it. */
            delivery: string;
            /** From the request to its response. */
            durationMs: number;
            /**
             * The edge that took it.
             * @enum {string}
             */
            edge: "fetch" | "http";
            /** The error behind a 500. */
            error?: string;
            /** The kinds of the faults that applied. */
            faults: string[];
            /** The headers without credentials. */
            headers: {
                [key: string]: string;
            };
            /** Counts the requests of the server. */
            id: number;
            /**
             * The body was refused before it was read, and is not checked.
             * @constant
             */
            isUnchecked?: true;
            /** The redacted key. */
            key: string | null;
            /** The name of the key. */
            keyName?: string;
            /** The method. */
            method: string;
            /** The operation; null if none matches. */
            operation: string | null;
            /** The path below its base URL, with the query. */
            path: string;
            /** How the request departs from the interface; absent if it does not. */
            problems?: components["schemas"]["RequestProblem"][];
            /** The decoded query; a name that was sent several times has a list. */
            query: {
                [key: string]: unknown;
            };
            /** True if the operation ran. */
            ran: boolean;
            /** The status: 0 if a fault ended the request before its operation, 499 if the client left. */
            status: number;
            /**
             * The surface.
             * @enum {string}
             */
            surface: "annotation" | "workspace";
            /** The workspace of the key. */
            workspace: string | null;
        };
        /** A way in which a request departs from the interface. */
        RequestProblem: {
            /**
             * The part of the request.
             * @enum {string}
             */
            in: "path" | "query" | "header" | "body";
            /** The parameter, header or JSON pointer; empty for the whole part. */
            name: string;
            /** The expectation. */
            problem: string;
        };
        /** A seed or snapshot; `Seed` of `@svc/reference-server` has all fields. */
        Seed: {
            ambiguities?: components["schemas"]["Ambiguities"];
            /** Scripts. */
            annotators?: components["schemas"]["Annotator"][];
            /** The time and whether it passes. */
            clock?: {
                [key: string]: unknown;
            };
            /** Rules, also with what they have counted. */
            faults?: ({
                [key: string]: unknown;
            } | string)[];
            /** The parts that a snapshot holds. */
            holds?: string[];
            /** The keys in clear. */
            keys?: components["schemas"]["NewKey"][];
            /** The rate limits. */
            limits?: components["schemas"]["Limits"] | null;
            /** How many ids and lists were made. */
            made?: {
                [key: string]: unknown;
            };
            /** Projects with transcripts. */
            projects?: components["schemas"]["NewProject"][];
            /** True if annotation jobs fail. */
            submitError?: boolean;
            /**
             * The version of the form.
             * @constant
             */
            version?: 1;
            /** Windows that have begun. */
            windows?: {
                [key: string]: unknown;
            }[];
            /** The names of workspaces. */
            workspaces?: string[];
        };
        /** Signals by their names. */
        Signals: {
            [key: string]: {
                /** The words that show it. */
                evidence: string;
                /** The turn, counted from 1. */
                turn?: number | null;
            };
        };
        /** How the clock is moved. */
        Steering: {
            /** Advance; timers that become due fire. */
            advanceMs?: number;
            /** Correct the date; no time passes. */
            jumpWallMs?: number;
            /** False stops the clock first, true starts it last. */
            running?: boolean;
            /** Advance to this time, in ISO 8601. */
            to?: string;
        };
        /** A switch. */
        Switch: {
            /** True if it is on. */
            on: boolean;
        };
        /** A transcript of the server, as the service shows it, with its workspace and project. */
        Transcript: {
            /** The annotations of this time. */
            annotations: {
                [key: string]: unknown;
            };
            /** When it was stored. */
            created_at: string;
            /** The id. */
            id: string;
            /** The name. */
            name: string;
            /**
             * Set by the upload.
             * @enum {string}
             */
            processing_status: "queued" | "skipped" | "error";
            /** The id of its project. */
            project: string;
            /** The turns; not in a list. */
            turns?: {
                [key: string]: unknown;
            }[];
            /** Its workspace. */
            workspace: string;
        } & {
            [key: string]: unknown;
        };
        /** A problem of one or more requests. */
        Violation: {
            /** The time of the first request, in milliseconds since the epoch. */
            at: number;
            /**
             * The part of the request.
             * @enum {string}
             */
            in: "path" | "query" | "header" | "body";
            /** The method of the first request. */
            method: string;
            /** The parameter, header or JSON pointer; empty for the whole part. */
            name: string;
            /** The operation; null if none matches. */
            operation: string | null;
            /** The path of the first request. */
            path: string;
            /** The expectation. */
            problem: string;
            /** The number of requests with it. */
            requests: number;
        };
    };
    responses: {
        /** The time, and whether it passes. */
        Clock: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Clock"];
            };
        };
        /** It is done. */
        Done: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** The problems, each one of a body with its pointer. */
        Refused: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** The id, which begins with `hp-`. */
        Project: string;
    };
    requestBodies: {
        /** The key. */
        KeyText: {
            content: {
                "application/json": components["schemas"]["KeyText"];
            };
        };
        /** A snapshot or a seed. */
        Seed: {
            content: {
                "application/json": components["schemas"]["Seed"];
            };
        };
    };
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "ambiguities.set": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Ambiguities"];
            };
        };
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["Refused"];
            401: components["responses"]["Refused"];
        };
    };
    "ambiguities.clear": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            401: components["responses"]["Refused"];
        };
    };
    "transcripts.annotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Annotate"];
            };
        };
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["Refused"];
            401: components["responses"]["Refused"];
        };
    };
    "annotators.set": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Annotator"];
            };
        };
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["Refused"];
            401: components["responses"]["Refused"];
        };
    };
    "annotators.clear": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            401: components["responses"]["Refused"];
        };
    };
    "clock.steer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Steering"];
            };
        };
        responses: {
            200: components["responses"]["Clock"];
            400: components["responses"]["Refused"];
            401: components["responses"]["Refused"];
            409: components["responses"]["Refused"];
        };
    };
    "faults.add": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FaultRule"] | components["schemas"]["FaultText"];
            };
        };
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["Refused"];
            401: components["responses"]["Refused"];
        };
    };
    "faults.clear": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            401: components["responses"]["Refused"];
        };
    };
    "keys.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewKey"];
            };
        };
        responses: {
            /** The key, in clear. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            400: components["responses"]["Refused"];
            401: components["responses"]["Refused"];
        };
    };
    "keys.delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["KeyText"];
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["Refused"];
            401: components["responses"]["Refused"];
        };
    };
    "keys.restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["KeyText"];
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["Refused"];
            401: components["responses"]["Refused"];
        };
    };
    "keys.revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["KeyText"];
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["Refused"];
            401: components["responses"]["Refused"];
        };
    };
    "limits.set": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Limits"];
            };
        };
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["Refused"];
            401: components["responses"]["Refused"];
        };
    };
    "limits.clear": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            401: components["responses"]["Refused"];
        };
    };
    "description.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The document, with the address of this server. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    "projects.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewProject"];
            };
        };
        responses: {
            /** The project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["Refused"];
            401: components["responses"]["Refused"];
        };
    };
    "transcripts.create": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** The id, which begins with `hp-`. */
                project: components["parameters"]["Project"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTranscript"];
            };
        };
        responses: {
            /** The transcript. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transcript"];
                };
            };
            400: components["responses"]["Refused"];
            401: components["responses"]["Refused"];
            404: components["responses"]["Refused"];
        };
    };
    "requests.list": {
        parameters: {
            query?: {
                /** Only requests after the one with this id. */
                after?: string;
                /** Only requests of this operation, such as `transcripts.upload`. */
                operation?: string;
                /** Only requests from this time on, in ISO 8601 or in milliseconds since the epoch. */
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The entries. `svc-dropped` counts earlier ones that no longer fit. */
            200: {
                headers: {
                    /** How many earlier requests were dropped. */
                    "svc-dropped"?: number;
                    /** The id of the first of them; 0 without any. */
                    "svc-first"?: number;
                    /** How many requests the journal holds. */
                    "svc-total"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Request"][];
                };
            };
            400: components["responses"]["Refused"];
            401: components["responses"]["Refused"];
        };
    };
    "requests.clear": {
        parameters: {
            query?: {
                /** Only requests of this operation, such as `transcripts.upload`. */
                operation?: string;
                /** Only requests before this time, in ISO 8601 or in milliseconds since the epoch. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["Refused"];
            401: components["responses"]["Refused"];
        };
    };
    "state.reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Done"];
            401: components["responses"]["Refused"];
        };
    };
    "submitError.set": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Switch"];
            };
        };
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["Refused"];
            401: components["responses"]["Refused"];
        };
    };
    "violations.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The violations. */
            200: {
                headers: {
                    /** How often a violation was not kept, because the list was full. */
                    "svc-dropped"?: number;
                    /** How many requests had a body that was refused before it was read, and is not checked. */
                    "svc-unchecked"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Violation"][];
                };
            };
            401: components["responses"]["Refused"];
        };
    };
    "state.snapshot": {
        parameters: {
            query?: {
                /** True to include the keys, in clear. */
                keys?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The snapshot. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Seed"];
                };
            };
            400: components["responses"]["Refused"];
            401: components["responses"]["Refused"];
        };
    };
    "state.restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["Seed"];
        responses: {
            204: components["responses"]["Done"];
            400: components["responses"]["Refused"];
            401: components["responses"]["Refused"];
        };
    };
}
