# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import asyncio
import socket
import threading
import unittest

from flexsync import App, Credentials, FlexSyncError, Realm, Status, SubscriptionState

from support import APP_ID, PATIENCE, FolderTestCase, Person, Place, RealmTestCase, ServerTestCase, Task, Team


class LocalTests(RealmTestCase):
    def test_a_realm_refreshes_itself(self):
        async def main():
            realm = await Realm.open_async(path=self.realm.path, classes=[Person, Place])
            changes = realm.objects(Person).changes()
            self.assertTrue((await changes.__anext__()).is_initial)
            await asyncio.to_thread(self.write_in_thread)
            change = await asyncio.wait_for(changes.__anext__(), PATIENCE)
            self.assertEqual(change.insertions, [0])
            changes.close()
            realm.close()

        asyncio.run(main())

    def write_in_thread(self):
        with Realm.open(path=self.realm.path, classes=[Person, Place]) as other, other.write():
            other.add(Person(_id=1))

    def test_the_end_of_a_stream_ends_its_loops(self):
        async def main():
            async def read(stream):
                return [changes.is_initial async for changes in stream]

            with await Realm.open_async(path=self.realm.path, classes=[Person, Place]) as realm:
                closed, left = realm.objects(Person).changes(), realm.objects(Person).changes()
                readers = [asyncio.create_task(read(one)) for one in (closed, closed, left)]
                await asyncio.sleep(0.1)
                closed.close()
                told = await asyncio.wait_for(asyncio.gather(*readers[:2]), PATIENCE)
                self.assertEqual(sum(told, []), [True])
                self.assertFalse(readers[2].done())
            # Closing the realm ends the others.
            self.assertEqual(await asyncio.wait_for(readers[2], PATIENCE), [True])

        asyncio.run(main())

    def test_transactions_wait_without_blocking(self):
        async def main():
            one, other = (await Realm.open_async(path=self.realm.path, classes=[Person, Place]) for _ in range(2)), None
            realms = [realm async for realm in one]
            order = []

            async def write(realm, name, pause):
                async with realm.write_async():
                    order.append(name)
                    await asyncio.sleep(pause)
                    order.append(name)

            await asyncio.gather(write(realms[0], "a", 0.05), write(realms[1], "b", 0))
            self.assertEqual(order, ["a", "a", "b", "b"])
            for realm in realms:
                realm.close()

        asyncio.run(main())


class ClosingTests(FolderTestCase):
    def test_closing_an_app_ends_what_waits_for_it(self):
        async def main(url):
            with App(APP_ID, url, self.folder, loop=asyncio.get_running_loop()) as app:
                waiting = asyncio.create_task(app.log_in_async(Credentials.anonymous()))
                await asyncio.sleep(0.2)
            for one in (waiting, app.log_in_async(Credentials.anonymous())):
                with self.assertRaisesRegex(FlexSyncError, "The app was closed") as caught:
                    await asyncio.wait_for(one, PATIENCE)
                self.assertEqual(caught.exception.status, Status.CANCELED)

        with socket.create_server(("127.0.0.1", 0)) as silent:
            asyncio.run(main(f"http://127.0.0.1:{silent.getsockname()[1]}"))


class SyncedTests(ServerTestCase):
    def test_everything_runs_in_the_loop(self):
        threads = set()

        async def main():
            with App(APP_ID, self.server.url, self.folder / "phone", loop=asyncio.get_running_loop()) as app:
                user = await app.log_in_async(Credentials.anonymous())
                with self.assertRaises(RuntimeError):
                    app.log_in(Credentials.anonymous())
                with await Realm.open_async(user=user, classes=[Task, Team]) as realm:
                    token = realm.session.observe_connection(lambda old, new: threads.add(threading.get_ident()))
                    await realm.objects(Task).subscribe_async("all", timeout=PATIENCE)
                    self.assertEqual(realm.subscriptions.state, SubscriptionState.COMPLETE)
                    stream = realm.objects(Task).changes()
                    self.assertTrue((await stream.__anext__()).is_initial)
                    async with realm.write_async():
                        realm.add(Task(taskName="one"))
                    self.assertEqual((await stream.__anext__()).insertions, [0])
                    await realm.session.wait_for_upload_async(PATIENCE)
                    await asyncio.to_thread(self.change_on_laptop)
                    self.assertEqual((await asyncio.wait_for(stream.__anext__(), PATIENCE)).modifications, [0])
                    self.assertEqual(realm.objects(Task)[0].taskName, "changed")
                    realm.session.suspend()
                    token.close()
                    stream.close()
                await user.log_out_async()

        asyncio.run(main())
        self.assertLessEqual(threads, {threading.get_ident()})

    def change_on_laptop(self):
        realm = self.open("laptop")
        self.subscribe(realm)
        with realm.write():
            realm.objects(Task)[0].taskName = "changed"
        self.synchronize(realm)
        realm.close()

    def test_the_thread_of_the_library_serves_asyncio_as_well(self):
        async def main():
            app = self.app("phone")
            user = await app.log_in_async(Credentials.anonymous())
            with await Realm.open_async(user=user, classes=[Task, Team]) as realm:
                with realm.subscriptions.update() as update:
                    update.add(realm.objects(Task))
                await update.committed.wait_async(PATIENCE)
                self.assertEqual(update.committed.state, SubscriptionState.COMPLETE)

        asyncio.run(main())

    def test_a_wait_can_be_canceled(self):
        async def main():
            app = self.app("phone")
            user = await app.log_in_async(Credentials.anonymous())
            with await Realm.open_async(user=user, classes=[Task, Team], starts_suspended=True) as realm:
                with realm.subscriptions.update() as update:
                    update.add(realm.objects(Task))
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(update.committed.wait_async(), 0.05)
                realm.session.resume()
                await realm.subscriptions.wait_async(PATIENCE)

        asyncio.run(main())


if __name__ == "__main__":
    unittest.main()
