/** Generated from spec/annotation.openapi.yaml by `pnpm generate`; never edited. */

export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report liveness and the serving substrate
         * Needs no key.
         */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/annotations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Annotate one transcript
         * Synchronous; the annotation is in the 200 response: a structured summary, an overall outcome, fired quality
         *     signals, version identifiers and usage accounting. Request time-outs are not shown.
         */
        post: operations["annotations.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/annotators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the available annotators
         * Described as public, while Authentication exempts only `/health` and the interface description: the key is
         *     optional here, and an answer of 401 or 403 is declared.
         */
        get: operations["annotators.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Declared in version 1; answers 501
         * Request and response bodies beyond the 501 envelope are not shown.
         */
        post: operations["batches.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{batch_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Declared in version 1; answers 501
         * Response bodies beyond the 501 envelope are not shown.
         */
        get: operations["batches.get"];
        put?: never;
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
        /** A transcript to annotate. Size bounds (message count, content length) are not shown. */
        AnnotationRequest: {
            /** Id of an annotator of the registry. */
            annotator: string;
            /** Settings of this request; their names and values are not shown. */
            options?: {
                [key: string]: unknown;
            };
            /** The messages in their order. */
            transcript: components["schemas"]["TranscriptMessage"][];
        };
        /** The result of an annotation. */
        AnnotationResponse: {
            /** Id of the annotator. */
            annotator: string;
            /** Version of the annotator. */
            annotator_version: string;
            /** The quality of the conversation. */
            outcome: components["schemas"]["Outcome"];
            /** Notes about the outcome. */
            outcome_notes: string;
            /** One entry for each quality signal that fired, by its key. The set of keys is not shown. */
            signals: {
                [key: string]: components["schemas"]["SignalHit"];
            };
            /** The summary of the conversation. */
            summary: components["schemas"]["AnnotationSummary"];
            /** Version of its taxonomy. */
            taxonomy_version: string;
            /** Tokens and latency of the annotation. */
            usage: components["schemas"]["UsageInfo"];
        };
        /** The summary of a conversation. */
        AnnotationSummary: {
            /** Its domain. */
            domain: string;
            /** Its keywords. */
            keywords: string[];
            /** Concerns about its quality. */
            quality_concerns: string;
            /** Its content in short. */
            summary: string;
            /** A title of the conversation. */
            title: string;
            /** The intent of the user. */
            user_intent: string;
        };
        /** An annotator of the registry. */
        AnnotatorInfo: {
            /** Version of the annotator. */
            annotator_version: string;
            /** A description of the annotator. */
            description: string;
            /** The id that `annotator` of a request names. */
            id: string;
            /** Version of its taxonomy. */
            taxonomy_version: string;
        };
        /** The registry. */
        AnnotatorListResponse: {
            /** All annotators. */
            annotators: components["schemas"]["AnnotatorInfo"][];
        };
        /** The one error envelope of surface A. */
        ErrorResponse: {
            /** A message for people. */
            detail: string;
            /** The kind of error; its values are not shown. */
            error: string;
        };
        /** Liveness and serving substrate. */
        HealthResponse: {
            /** The state of the service; its values are not shown. */
            status: string;
            /**
             * The serving substrate.
             * @enum {string}
             */
            substrate: "fargate" | "lambda";
        };
        /** Used only where a path parameter fails validation. */
        HTTPValidationError: {
            /** The invalid fields. */
            detail?: components["schemas"]["ValidationError"][];
        };
        /**
         * The quality of the conversation; `indeterminate` is no grade.
         * @enum {string}
         */
        Outcome: "strong" | "mixed" | "poor" | "critical" | "indeterminate";
        /** A quality signal that fired. */
        SignalHit: {
            /** The reason why the signal fired. */
            evidence: string;
            /** 1-indexed turn of the transcript; null or missing if it belongs to no turn. */
            turn?: number | null;
        };
        /** One message of the transcript. */
        TranscriptMessage: {
            /** The text of the message. */
            content: string;
            /**
             * The user has seen the message.
             * @default true
             */
            is_user_visible?: boolean;
            /** The speaker, in any words; no enumeration is given. */
            role: string;
        };
        /** Any JSON value; its shape is not shown in the interface. */
        Unspecified: unknown;
        /** The cost of an annotation. */
        UsageInfo: {
            /** Duration in milliseconds. */
            latency_ms: number;
            /** The number of tokens in. */
            tokens_in: number;
            /** The number of tokens out. */
            tokens_out: number;
        };
        /** One invalid field. */
        ValidationError: {
            /** Facts about the problem. */
            ctx?: {
                [key: string]: unknown;
            };
            /** The value that was refused; any JSON value. */
            input?: unknown;
            /** The path of the field; numbers are 0-based positions. */
            loc: (string | number)[];
            /** A message for people. */
            msg: string;
            /** The kind of problem. */
            type: string;
        };
    };
    responses: {
        /** Declared; its causes are not shown. */
        BadGateway: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** Revoked or disabled key. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** Declared; its causes are not shown. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** Batches are not implemented in version 1. */
        NotImplemented: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /**
         * The per-key rate limit is exceeded (a fixed window; its length and count are not shown), or the global provider
         *     capacity is saturated.
         */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** Missing or invalid key. */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** Declared; its causes are not shown. */
        Unavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** The request cannot be processed. */
        Unprocessable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * When to come back, in seconds or as an HTTP date (RFC 9110).
         * @example 12
         */
        RetryAfter: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The service is alive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthResponse"];
                };
            };
        };
    };
    "annotations.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnnotationRequest"];
            };
        };
        responses: {
            /** The annotation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnnotationResponse"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    "annotators.list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** The public registry. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnnotatorListResponse"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
        };
    };
    "batches.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Not shown in the interface. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Unspecified"];
            };
        };
        responses: {
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            501: components["responses"]["NotImplemented"];
        };
    };
    "batches.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * Id of the batch.
                 * @example batch_1
                 */
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** The path parameter is invalid; what makes it so is not shown. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            501: components["responses"]["NotImplemented"];
        };
    };
}
