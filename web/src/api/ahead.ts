// Answers that were asked for before the program that wants them was there: each is taken once, by
// its address. A failure is for whoever takes it.
const freshMs = 5000;
const asked = new Map<string, Promise<Response>>();

export function askAhead(addresses: string[]): void {
  for (const one of addresses) {
    const answer = fetch(one);
    answer.catch(() => {});
    asked.set(one, answer);
  }
}

// For when the program is there, however long that took: what it has not taken soon is old.
export function dropAheadSoon(): void {
  setTimeout(() => asked.clear(), freshMs);
}

export function takeAhead(address: string): Promise<Response> | null {
  const answer = asked.get(address) ?? null;
  asked.delete(address);
  return answer;
}
