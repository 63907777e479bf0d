// What the first view asks of the API, from its address alone.
import { listAddress, runAddress, stepAxisAddress } from "../api/address";
import { firstPage } from "../list/query";
import type { Route } from "./hash";

export function openingAddresses({ path, query }: Route): string[] {
  const [name, id] = path;
  if (name === "run" && id) return [runAddress(id), runAddress(id, "/report"), runAddress(id, "/events"), stepAxisAddress(id)];
  if (!name || name === "runs") return [listAddress(firstPage(query))];
  return [];
}
