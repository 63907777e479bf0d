// One way to ask the API. A failure is an ApiError whose message says what went wrong and, for a
// query, its column; nothing else is thrown.
import { takeAhead } from "./ahead";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

function reason(status: number): string {
  if (status === 401) return "This page is not signed in any more: open the address that `flatout ui` printed.";
  if (status === 404) return "There is no such run: it may have been removed.";
  return `The server answered with status ${status}.`;
}

async function failure(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  const said = (body as { error?: { message?: string } } | null)?.error?.message;
  return new ApiError(response.status, said ?? reason(response.status));
}

export async function ask(url: string, options: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await (takeAhead(url) ?? fetch(url, options));
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error;
    throw new ApiError(0, "`flatout ui` does not answer: it may have been ended. Start it again, then reload.");
  }
  if (!response.ok) throw await failure(response);
  return response;
}

export async function getJson<T>(url: string, signal?: AbortSignal): Promise<T> {
  const response = await ask(url, signal ? { signal } : {});
  return (await response.json()) as T;
}
