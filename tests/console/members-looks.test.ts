// The pages of members, invites and seats, in light and dark, on a desk and on a phone.
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { addMember, invitesOf, seatsOf } from "../rules/members-house.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  chooseAct,
  expectAccessible,
  expectFits,
  looks,
  open,
  openMenu,
  openOwnerSession,
  picture,
} from "./person.ts";

let house: House;
let browser: Browsers;
let token: string;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  const { platform } = house.organizations;
  await seatsOf(house).set(platform, [
    { name: "Standard", seats: 6 },
    { name: "Premium", seats: 4 },
  ]);
  const make = (name: string, email: string, role: "developer" | "billing" | "admin" | "owner") =>
    addMember(house, platform, { name, email, role });
  await make("Grace Hopper", "grace@example.com", "owner");
  await make("Ada Lovelace", "ada.lovelace.with.a.rather.long.address@example.com", "admin");
  await make("Edsger W. Dijkstra", "edsger@example.com", "developer");
  await make("Barbara Liskov", "barbara@example.com", "billing");
  const { id } = await invitesOf(house).withLink(platform, { email: "withdrawn@example.com" });
  await invitesOf(house).withdraw(platform, id);
  await invitesOf(house).create(platform, { email: "nobody.copied.this@example.com" });
  ({ token } = await invitesOf(house).withLink(platform, { email: "alan@example.com" }));
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

for (const { width, scheme } of looks)
  test(`members, invites and seats at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const look = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    await open(page, house.url, "/console/members");
    await page.getByRole("row", { name: /Grace Hopper/ }).waitFor();
    await look("members");
    await openMenu(page.getByRole("button", { name: "Change Barbara Liskov" }));
    await look("members-menu");
    await chooseAct(page, "Remove");
    await page.getByRole("dialog").getByText("Keys that they made go on working").waitFor();
    await look("members-remove");
    await open(page, house.url, "/console/members?q=zzz");
    await page.getByText("Nobody fits these filters").waitFor();
    await look("members-nobody");
    await open(page, house.url, "/console/members?tab=invites");
    await page.getByRole("row", { name: /alan@example.com/ }).waitFor();
    await look("members-invites");
    await open(page, house.url, "/console/members?new=invite");
    await page.getByRole("dialog").getByLabel("E-mail").waitFor();
    await look("members-invite");
    await open(page, house.url, "/console/seats");
    await page.getByRole("row", { name: /Premium/ }).waitFor();
    await look("seats");
    await page.getByRole("button", { name: "Change the pool" }).click();
    await page.getByLabel("Seats of tier 2").waitFor();
    await look("seats-pool");
    await page.goto(`${house.url}/accept#token=${token}`);
    await page.getByLabel("Your name").waitFor();
    await look("accept");
    await page.goto(`${house.url}/accept#token=nothing`);
    await page.getByRole("alert").waitFor();
    await look("accept-nothing");
  });
