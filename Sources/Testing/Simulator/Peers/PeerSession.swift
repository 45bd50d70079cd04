// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// The session of one realm on the connection shared by its device's realms (protocol §3, §9.3). A client reset works
/// as in Realm's clients: a fresh copy of the realm is downloaded in a session of its own. Then a session of the
/// realm is bound, in which the realm takes over the copy before it identifies itself.
final class PeerSession {
  private enum Phase {
    case syncing
    case downloading(PeerRealm)
    /// The copy is complete, but the realm has not taken it over yet.
    case merging(PeerRealm)
  }

  let realm: PeerRealm
  private unowned let device: PeerDevice
  private let mode: PeerResetMode
  /// Whether the realm requests a new file ident after a reset, as clients did for years.
  private let asksForIdent: Bool
  private var phase = Phase.syncing
  /// A copy begun before the process was killed.
  private var foundCopy: PeerRealm?
  private var reason = SessionReason.sync
  /// The number of further times that the file gets an ident unknown to the server as soon as the realm has been
  /// reset.
  private var remainingMoves = 0
  /// Whether the server has a reason to demand a reset.
  private var isForeign = false
  private var isPaused = false

  private var ident: SessionIdent
  private var isBound = false
  private var isIdentified = false
  /// The number of the binding. Actions deferred in one binding do not run in another.
  private var binding = 0
  /// Whether uploads and queries need not wait for the answer to a MARK.
  private var isReady = false
  private var wantedMark: MarkIdent = 0
  private var sentMark: MarkIdent = 0
  private var answeredMark: MarkIdent = 0

  init(_ realm: PeerRealm, _ device: PeerDevice, ident: SessionIdent, mode: PeerResetMode, asksForIdent: Bool)
  {
    self.realm = realm
    self.device = device
    self.ident = ident
    self.mode = mode
    self.asksForIdent = asksForIdent
  }

  /// The file whose session is currently bound.
  private var file: PeerRealm { if case .downloading(let copy) = phase { copy } else { realm } }

  /// Whether everything is uploaded and answered, every set is complete, and no reset is in progress.
  var isQuiet: Bool {
    guard case .syncing = phase else { return false }
    return isIdentified && isReady && !isForeign && answeredMark == wantedMark && realm.isQuiet
  }

  /// A human-readable description.
  var state: String {
    "\(phase) bound \(isBound) identified \(isIdentified) ready \(isReady) foreign \(isForeign) MARK \(answeredMark) of \(wantedMark) "
      + "pending sets \(realm.pendingSets.map(\.version)) awaiting \(realm.isAwaitingMark)"
  }

  // MARK: Binding and unbinding

  /// Called when the device has connected.
  ///
  /// - Parameter isFast: Whether it was disconnected only briefly.
  func connected(isFast: Bool) {
    if !isFast { isReady = false }
    bind()
  }

  func connectionLost() {
    binding += 1
    (isBound, isIdentified) = (false, false)
  }

  /// Handles the death of the process, after which only the files remain.
  func processDied() {
    connectionLost()
    switch phase {
    case .syncing: break
    case .downloading(let copy), .merging(let copy): foundCopy = copy
    }
    begin(.syncing, .sync)
  }

  /// Ends the session and begins one in another phase.
  private func begin(_ phase: Phase, _ reason: SessionReason) {
    unbind()
    (self.phase, self.reason) = (phase, reason)
    ident = device.makeSessionIdent()
    isReady = false
    (wantedMark, sentMark, answeredMark) = (0, 0, 0)
  }

  private func unbind() {
    guard isBound else { return }
    connectionLost()
    device.unbind(ident)
  }

  /// Ends the session and begins another one later.
  func pause(milliseconds: UInt64) {
    isPaused = true
    begin(phase, reason)
    if case .syncing = phase { reason = .sync }
    device.later(milliseconds) { [weak self] in self?.resume() }
  }

  func resume() {
    isPaused = false
    bind()
  }

  /// Makes the app wait until it has downloaded everything.
  func waitForDownload() {
    guard isIdentified else { return }
    wantedMark = sentMark + 1
    sendMark()
  }

  /// Gives the realm a file ident that this server does not have, or has with another salt, as after a move from
  /// another server.
  ///
  /// - Parameter isRepeated: Whether the realm gets such an ident again as soon as it has been reset.
  func moveIn(isUnknown: Bool, isRepeated: Bool) {
    guard case .syncing = phase, !isForeign, realm.file != nil else { return }
    remainingMoves = isRepeated ? 1 : 0
    begin(.syncing, .sync)
    disguise(isUnknown: isUnknown)
    bind()
  }

  private func disguise(isUnknown: Bool) {
    guard let file = realm.file else { return }
    isForeign = true
    realm.file = SaltedFileIdent(
      ident: isUnknown ? 1_000_000_007 + file.ident : file.ident,
      salt: file.salt / 2 + 1
    )
  }

  // MARK: Sending

  private func bind() {
    guard device.isConnected, !isBound, !isPaused else { return }
    isBound = true
    binding += 1
    wantedMark = max(wantedMark, isReady ? answeredMark : answeredMark + 1)
    sentMark = answeredMark
    var needsFileIdent = file.file == nil
    if case .merging = phase { needsFileIdent = asksForIdent }
    let options = BindOptions(sessionReason: reason)
    send(.bind(BindMessage(session: ident, options: options, needsFileIdent: needsFileIdent)))
    guard !needsFileIdent else { return }
    guard case .merging(let copy) = phase else { return identify() }
    whileBound(after: device.pick(0...2_000)) { [weak self] in
      guard let self, let file = copy.file else { return }
      try takeOver(copy, file)
    }
  }

  private func identify() {
    guard let ident = file.file else { return }
    isIdentified = true
    send(file.identMessage(self.ident, ident))
    sendMark()
    sendPending()
  }

  private func sendMark() {
    guard wantedMark > sentMark else { return }
    sentMark = wantedMark
    send(.mark(session: ident, request: wantedMark))
  }

  /// Sends what the app has committed, if it may be sent now.
  func sendPending() {
    guard isIdentified, isReady else { return }
    while let (upload, query) = file.nextQuery(ident) {
      if let upload { send(upload) }
      send(query)
      wantedMark = sentMark + 1
      sendMark()
    }
    if let upload = file.uploadMessage(ident) { send(upload) }
  }

  private func send(_ message: ClientMessage) { device.send(message) }

  private func whileBound(after milliseconds: UInt64, _ action: @escaping () throws -> Void) {
    let binding = binding
    device.later(milliseconds) { [weak self] in
      guard let self, self.binding == binding else { return }
      device.guarding(action)
    }
  }

  // MARK: Receiving

  /// Returns whether the session is bound under an ident.
  func isBound(as ident: SessionIdent) -> Bool { isBound && self.ident == ident }

  func receive(_ message: ServerMessage) throws {
    device.log(message, to: realm, isCopy: file.isCopy)
    try device.onReceive?(message, realm)
    switch message {
    case .ident(_, let file): try received(file)
    case .download(let download): try integrate(download)
    case .mark(_, let request): try marked(request)
    case .error(let error) where error.code.endsSession: try ended(error)
    case .error: break
    case .queryError(_, _, let version, let message):
      throw SimulationFailure("set \(version) of realm \(realm.number) is refused: \(message)")
    default:
      throw SimulationFailure("realm \(realm.number) was sent \(message.logText), which it does not expect")
    }
  }

  private func received(_ ident: SaltedFileIdent) throws {
    guard !isIdentified else {
      throw SimulationFailure("realm \(realm.number) was given a second file ident")
    }
    if case .merging(let copy) = phase { return try takeOver(copy, ident) }
    file.file = ident
    identify()
  }

  private func integrate(_ download: DownloadMessage) throws {
    guard isIdentified else {
      throw SimulationFailure("realm \(realm.number) was sent a DOWNLOAD before its IDENT")
    }
    if try file.integrate(download), !file.isCopy { device.onActive?(realm) }
    sendPending()
  }

  private func marked(_ request: MarkIdent) throws {
    guard request > answeredMark, request <= sentMark else {
      throw SimulationFailure(
        "realm \(realm.number) was sent the answer to MARK \(request), which nobody asked"
      )
    }
    answeredMark = request
    guard request == wantedMark else { return }
    file.downloadIsComplete()
    isReady = true
    sendPending()
    guard case .downloading(let copy) = phase, copy.pendingSets.isEmpty else { return }
    begin(.merging(copy), .clientReset)
    bind()
  }

  private func ended(_ error: ErrorMessage) throws {
    connectionLost()
    device.leaveAfterError(ident)
    guard error.info.action == .clientReset else {
      guard error.info.tryAgain else {
        throw SimulationFailure("realm \(realm.number): \(error.code) \(error.info.message)")
      }
      // The session continues later under the same ident.
      return whileBound(after: device.pick(1_000...10_000)) { [weak self] in self?.bind() }
    }
    guard device.mayBeForgotten || (isForeign && !file.isCopy) else {
      let name = "\(file.isCopy ? "the copy of " : "")realm \(realm.number)"
      throw SimulationFailure("\(name) is to be reset for no reason: \(error.info.message)")
    }
    try beginReset()
  }

  private func beginReset() throws {
    let copy = try foundCopy ?? PeerRealm(freshCopyOf: realm)
    if foundCopy != nil { copy.subscribe(likeActiveSetOf: realm) }
    foundCopy = nil
    begin(.downloading(copy), .clientReset)
    bind()
  }

  private func takeOver(_ copy: PeerRealm, _ file: SaltedFileIdent) throws {
    let acknowledged = realm.progress.upload.clientVersion
    let isRecovering = mode.recovers(afterUnfinishedReset: realm.hasUnfinishedReset)
    try realm.reset(to: copy, file: file, isRecovering: isRecovering)
    phase = .syncing
    isForeign = false
    try device.onReset?(realm, acknowledged, isRecovering)
    if remainingMoves > 0 {
      remainingMoves -= 1
      disguise(isUnknown: true)
    }
    // Recovered changes need not wait for a MARK.
    isReady = true
    identify()
  }
}
