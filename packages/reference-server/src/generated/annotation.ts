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
         * @description Needs no key.
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
         * @description Synchronous; the annotation is in the 200 response: a structured summary, an overall outcome, fired quality
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
         * @description Described as public, while Authentication exempts only `/health` and the interface description: the key is
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
         * @description Request and response bodies beyond the 501 envelope are not shown.
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
         * @description Response bodies beyond the 501 envelope are not shown.
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
        /** @description A transcript to annotate. Size bounds (message count, content length) are not shown. */
        AnnotationRequest: {
            /** @description Id of an annotator of the registry. */
            annotator: string;
            /** @description Settings of this request; their names and values are not shown. */
            options?: {
                [key: string]: unknown;
            };
            /** @description The messages in their order. */
            transcript: components["schemas"]["TranscriptMessage"][];
        };
        /** @description The result of an annotation. */
        AnnotationResponse: {
            /** @description Id of the annotator. */
            annotator: string;
            /** @description Version of the annotator. */
            annotator_version: string;
            /** @description The quality of the conversation. */
            outcome: components["schemas"]["Outcome"];
            /** @description Notes about the outcome. */
            outcome_notes: string;
            /** @description One entry for each quality signal that fired, by its key. The set of keys is not shown. */
            signals: {
                [key: string]: components["schemas"]["SignalHit"];
            };
            /** @description The summary of the conversation. */
            summary: components["schemas"]["AnnotationSummary"];
            /** @description Version of its taxonomy. */
            taxonomy_version: string;
            /** @description Tokens and latency of the annotation. */
            usage: components["schemas"]["UsageInfo"];
        };
        /** @description The summary of a conversation. */
        AnnotationSummary: {
            /** @description Its domain. */
            domain: string;
            /** @description Its keywords. */
            keywords: string[];
            /** @description Concerns about its quality. */
            quality_concerns: string;
            /** @description Its content in short. */
            summary: string;
            /** @description A title of the conversation. */
            title: string;
            /** @description The intent of the user. */
            user_intent: string;
        };
        /** @description An annotator of the registry. */
        AnnotatorInfo: {
            /** @description Version of the annotator. */
            annotator_version: string;
            /** @description A description of the annotator. */
            description: string;
            /** @description The id that `annotator` of a request names. */
            id: string;
            /** @description Version of its taxonomy. */
            taxonomy_version: string;
        };
        /** @description The registry. */
        AnnotatorListResponse: {
            /** @description All annotators. */
            annotators: components["schemas"]["AnnotatorInfo"][];
        };
        /** @description The one error envelope of surface A. */
        ErrorResponse: {
            /** @description What went wrong, for people. */
            detail: string;
            /** @description The kind of error; its values are not shown. */
            error: string;
        };
        /** @description Liveness and serving substrate. */
        HealthResponse: {
            /** @description The state of the service; its values are not shown. */
            status: string;
            /**
             * @description The serving substrate.
             * @enum {string}
             */
            substrate: "fargate" | "lambda";
        };
        /** @description Used only where a path parameter fails validation. */
        HTTPValidationError: {
            /** @description The invalid fields. */
            detail?: components["schemas"]["ValidationError"][];
        };
        /**
         * @description The quality of the conversation; `indeterminate` is no grade.
         * @enum {string}
         */
        Outcome: "strong" | "mixed" | "poor" | "critical" | "indeterminate";
        /** @description A quality signal that fired. */
        SignalHit: {
            /** @description The reason why the signal fired. */
            evidence: string;
            /** @description 1-indexed turn of the transcript; null or missing if it belongs to no turn. */
            turn?: number | null;
        };
        /** @description One message of the transcript. */
        TranscriptMessage: {
            /** @description The text of the message. */
            content: string;
            /**
             * @description The user has seen the message.
             * @default true
             */
            is_user_visible?: boolean;
            /** @description The speaker, in any words; no enumeration is given. */
            role: string;
        };
        /** @description Any JSON value; its shape is not shown in the interface. */
        Unspecified: unknown;
        /** @description The cost of an annotation. */
        UsageInfo: {
            /** @description Duration in milliseconds. */
            latency_ms: number;
            /** @description The number of tokens in. */
            tokens_in: number;
            /** @description The number of tokens out. */
            tokens_out: number;
        };
        /** @description One invalid field. */
        ValidationError: {
            /** @description Facts about the problem. */
            ctx?: {
                [key: string]: unknown;
            };
            /** @description The value that was refused; any JSON value. */
            input?: unknown;
            /** @description The path of the field; numbers are 0-based positions. */
            loc: (string | number)[];
            /** @description What is wrong with it, for people. */
            msg: string;
            /** @description The kind of problem. */
            type: string;
        };
    };
    responses: {
        /** @description Declared; its causes are not shown. */
        BadGateway: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "bad_gateway",
                 *       "detail": "The provider did not answer."
                 *     }
                 */
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description Revoked or disabled key. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "forbidden",
                 *       "detail": "This API key has been revoked."
                 *     }
                 */
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description Declared; its causes are not shown. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "not_found",
                 *       "detail": "There is no annotator \"nope\"."
                 *     }
                 */
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description Batches are not implemented in version 1. */
        NotImplemented: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "not_implemented",
                 *       "detail": "Batches are not implemented in version 1."
                 *     }
                 */
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /**
         * @description The per-key rate limit is exceeded (a fixed window; its length and count are not shown), or the global provider
         *     capacity is saturated.
         */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "rate_limited",
                 *       "detail": "The rate limit of this key is used up."
                 *     }
                 */
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description Missing or invalid key. */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "unauthorized",
                 *       "detail": "A valid API key is required."
                 *     }
                 */
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description Declared; its causes are not shown. */
        Unavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "unavailable",
                 *       "detail": "The service is not available."
                 *     }
                 */
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description The request cannot be processed. */
        Unprocessable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": "unprocessable",
                 *       "detail": "transcript: expected an array of messages"
                 *     }
                 */
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description When to come back, in seconds or as an HTTP date (RFC 9110).
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
            /** @description The service is alive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "substrate": "fargate"
                     *     }
                     */
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
                /**
                 * @example {
                 *       "annotator": "structural",
                 *       "transcript": [
                 *         {
                 *           "role": "user",
                 *           "content": "Where is order 7?"
                 *         },
                 *         {
                 *           "role": "assistant",
                 *           "content": "I will look."
                 *         },
                 *         {
                 *           "role": "user",
                 *           "content": "Have you found it?"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AnnotationRequest"];
            };
        };
        responses: {
            /** @description The annotation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "summary": {
                     *         "title": "Where is order 7?",
                     *         "keywords": [
                     *           "order",
                     *           "found",
                     *           "look"
                     *         ],
                     *         "summary": "3 turns: 2 of the user, 1 replies, 0 of tools. It begins: Where is order 7?",
                     *         "quality_concerns": "unanswered_user_turn",
                     *         "user_intent": "Where is order 7?",
                     *         "domain": "general"
                     *       },
                     *       "outcome": "poor",
                     *       "outcome_notes": "Fired: unanswered_user_turn.",
                     *       "signals": {
                     *         "unanswered_user_turn": {
                     *           "evidence": "Have you found it?",
                     *           "turn": 3
                     *         }
                     *       },
                     *       "annotator": "structural",
                     *       "annotator_version": "1.0.0",
                     *       "taxonomy_version": "1.0.0",
                     *       "usage": {
                     *         "tokens_in": 13,
                     *         "tokens_out": 101,
                     *         "latency_ms": 3
                     *       }
                     *     }
                     */
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
            /** @description The public registry. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "annotators": [
                     *         {
                     *           "id": "structural",
                     *           "annotator_version": "1.0.0",
                     *           "taxonomy_version": "1.0.0",
                     *           "description": "Reads the shape of the conversation."
                     *         }
                     *       ]
                     *     }
                     */
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
        /** @description Not shown in the interface. */
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
                 * @description Id of the batch.
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
            /** @description The path parameter is invalid; what makes it so is not shown. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": [
                     *         {
                     *           "loc": [
                     *             "path",
                     *             "batch_id"
                     *           ],
                     *           "msg": "String should have at most 255 characters",
                     *           "type": "string_too_long"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            501: components["responses"]["NotImplemented"];
        };
    };
}
