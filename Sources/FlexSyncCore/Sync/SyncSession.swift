import CFlexSync

final class SyncSession: Sendable { let path: String; init(path: String) { self.path = path } }
