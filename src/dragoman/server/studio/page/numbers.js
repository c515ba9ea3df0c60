// Numbers and times in words.

export const whole = (number) => Math.round(number).toLocaleString("en");
export const percent = (share) =>
  share > 0 && share < 0.001 ? "< 0.1 %" : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

/** 1438208 becomes 1.4 M. */
export function short(number) {
  for (const [size, mark] of [
    [1e9, "B"],
    [1e6, "M"],
    [1e3, "k"],
  ]) {
    if (number >= size) return `${(number / size).toFixed(number / size < 10 ? 1 : 0)} ${mark}`;
  }
  return String(number);
}

/** Four figures that matter. */
export function figure(number) {
  if (!Number.isFinite(number)) return "–";
  const size = Math.abs(number);
  if (size >= 1000) return whole(number);
  if (size > 0 && size < 0.001) return number.toExponential(1);
  return number.toFixed(size >= 100 ? 1 : size >= 1 ? 2 : 3);
}

export function bytes(count) {
  for (const [size, mark] of [
    [1 << 30, "GB"],
    [1 << 20, "MB"],
    [1 << 10, "KB"],
  ]) {
    if (count >= size) return `${Number((count / size).toFixed(count / size < 10 ? 1 : 0))} ${mark}`;
  }
  return count === 1 ? "1 byte" : `${count} bytes`;
}

const STEPS = [
  [60, "second", 1],
  [3600, "minute", 60],
  [86400, "hour", 3600],
  [2592000, "day", 86400],
  [Infinity, "month", 2592000],
];
/** How long ago a moment (in seconds of Unix) was. */
export function ago(moment) {
  const seconds = Math.max(0, Date.now() / 1000 - moment);
  if (seconds < 10) return "just now";
  const [, unit, size] = STEPS.find(([most]) => seconds < most);
  const count = Math.floor(seconds / size);
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}
