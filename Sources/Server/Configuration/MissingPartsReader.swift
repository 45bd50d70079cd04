// SPDX-License-Identifier: Apache-2.0

/// Lists the parts of an app directory that this server does not support.
struct MissingPartsReader {
  let reader: DirectoryReader
  let providers: AuthenticationProviders
  let sync: SyncConfiguration?

  func read() -> [MissingPart] {
    folders() + dataAPI() + filters() + userCreation() + authentication() + otherData() + requestOrigins()
  }

  // MARK: Folders

  private struct Folder {
    let name: String
    let things: String
    let consequence: String
    let advice: String
  }

  private static let folders = [
    Folder(
      name: "functions",
      things: "functions",
      consequence: "Calls to functions from the app fail with status 404",
      advice: "Move their code into the app, or into your own service that the app calls"
    ),
    Folder(
      name: "triggers",
      things: "triggers",
      consequence: "Nothing runs when data or users change, or on a schedule",
      advice:
        "Run your own FlexSync client that observes the data and does what the trigger did; use cron for "
        + "scheduled triggers"
    ),
    Folder(
      name: "http_endpoints",
      things: "HTTPS endpoints",
      consequence: "The server answers requests to them with status 404",
      advice: "Serve them from your own web service, which can open the data with a FlexSync client"
    ),
    Folder(
      name: "https_endpoints",
      things: "HTTPS endpoints",
      consequence: "The server answers requests to them with status 404",
      advice: "Serve them from your own web service, which can open the data with a FlexSync client"
    ),
    Folder(
      name: "graphql",
      things: "GraphQL resolvers",
      consequence: "There is no GraphQL endpoint",
      advice: "Read and write with a FlexSync client, or put your own GraphQL service in front of one"
    ),
    Folder(
      name: "hosting",
      things: "hosted files",
      consequence: "The server does not serve the files",
      advice: "Serve them from a web server, including the pages for e-mail confirmation and password reset"
    ),
    Folder(
      name: "log_forwarders",
      things: "log forwarders",
      consequence: "The server does not forward its log",
      advice: "Collect the server's own log; --log-format json writes one record per line"
    ),
    Folder(
      name: "services",
      things: "third-party services",
      consequence: "The functions that use them are not available either",
      advice: "Call the services from wherever you move the functions' code"
    ),
  ]

  private func folders() -> [MissingPart] {
    MissingPartsReader.folders.compactMap { folder in
      let names = content(of: folder.name)
      guard !names.isEmpty else { return nil }
      return MissingPart(
        file: folder.name,
        content: "\(folder.things) (\(MissingPartsReader.list(names))) are",
        consequence: folder.consequence,
        advice: folder.advice
      )
    }
  }

  private func content(of folder: String) -> [String] {
    let files = reader.entries(folder).filter { name in
      name.hasSuffix(".js") || name.hasSuffix(".json") && !MissingPartsReader.settings.contains(name)
    }
    var names = files.map { $0.hasSuffix(".js") ? String($0.dropLast(3)) : String($0.dropLast(5)) }
    // All endpoints are listed in a single file.
    names += (reader.json("\(folder)/config.json")?.value.arrayValue ?? []).compactMap {
      $0["route"]?.stringValue
    }
    return (names + reader.directories(folder).filter { $0 != "node_modules" }).sorted()
  }

  /// Files that are present in every export.
  private static let settings: Set<String> = [
    "config.json", "package.json", "package-lock.json", "metadata.json", "data_api_config.json",
    "validation_settings.json",
  ]

  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(8).joined(separator: ", ")
    return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
  }

  private func dataAPI() -> [MissingPart] {
    let files = ["http_endpoints", "https_endpoints"].map { "\($0)/data_api_config.json" }
    guard let file = files.first(where: reader.has), let node = reader.json(file),
      !node.bool("disabled", default: false)
    else { return [] }
    return [
      MissingPart(
        file: file,
        content: "the Data API is",
        consequence: "The server answers requests to it with status 404",
        advice:
          "Read and write with a FlexSync client, or replace the Data API with your own service that uses one"
      )
    ]
  }

  // MARK: Parts of files

  /// Query filters, which App Services does not apply to sync either.
  private func filters() -> [MissingPart] {
    guard let sync else { return [] }
    return sync.ruleFiles(reader).compactMap { file in
      guard reader.has(file), let filters = reader.json(file)?.member("filters")?.value.arrayValue,
        !filters.isEmpty
      else { return nil }
      return MissingPart(
        file: file,
        content: "filters are",
        consequence: "They never applied to sync, only to queries made by functions and MongoClient",
        advice: "Sync needs no change: document_filters determine what users may see"
      )
    }
  }

  private func userCreation() -> [MissingPart] {
    let file = CustomUserDataReader.file
    guard let node = reader.json(file), let name = node.string("on_user_creation_function_name"),
      !name.isEmpty
    else { return [] }
    return [
      MissingPart(
        file: file,
        content: "the function \"\(name)\" for new users is",
        consequence: "New users have no custom data until you set it",
        advice:
          "Set it with `flexsyncd users set-custom-data`, or with a client that may write to the collection"
      )
    ]
  }

  private func authentication() -> [MissingPart] {
    providers.notCarriedOver.map { type in
      MissingPart(
        file: "auth/providers.json",
        content: "the provider \"\(type)\" is",
        consequence: "Users cannot log in with it",
        advice: advice(insteadOf: type)
      )
    }
  }

  private func advice(insteadOf provider: String) -> String {
    if provider == "custom-function" {
      return "Have your own system issue JSON Web Tokens, and enable custom-token"
    }
    if AuthenticationProviders.issuingTokens.contains(provider) {
      return "Enable custom-token, which can accept the provider's own tokens (Docs/Authentication.md)"
    }
    return
      "Have your own service check the provider's token and issue a JSON Web Token in exchange, and enable "
      + "custom-token"
  }

  private func otherData() -> [MissingPart] {
    guard let sync else { return [] }
    return reader.directories("data_sources").filter { $0 != sync.serviceName }.map { name in
      MissingPart(
        file: "data_sources/\(name)",
        content: "the data of other data sources is",
        consequence: "The server serves only the collections of \(sync.serviceName)",
        advice: "Import the data that clients need into collections of that data source"
      )
    }
  }

  private func requestOrigins() -> [MissingPart] {
    for file in AppDirectory.rootFiles where reader.has(file) {
      guard let origins = reader.json(file)?.member("allowed_request_origins")?.value.arrayValue,
        !origins.isEmpty
      else { return [] }
      return [
        MissingPart(
          file: file,
          content: "allowed_request_origins is",
          consequence: "The server accepts requests from pages of any origin",
          advice: "Restrict origins in a reverse proxy in front of the server"
        )
      ]
    }
    return []
  }
}
