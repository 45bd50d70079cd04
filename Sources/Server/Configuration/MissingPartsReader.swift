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
      consequence: "Calls of functions from the app fail with an error of status 404",
      advice: "Move their code into the app, or into a service of your own that the app calls"
    ),
    Folder(
      name: "triggers",
      things: "triggers",
      consequence: "Nothing runs when data or users change, or at a time",
      advice:
        "Run a FlexSync client of your own that observes the data and does what the trigger did; use cron for "
        + "scheduled ones"
    ),
    Folder(
      name: "http_endpoints",
      things: "HTTPS endpoints",
      consequence: "Requests to them are answered with status 404",
      advice: "Serve them by a web service of your own that opens the data with a FlexSync client"
    ),
    Folder(
      name: "https_endpoints",
      things: "HTTPS endpoints",
      consequence: "Requests to them are answered with status 404",
      advice: "Serve them by a web service of your own that opens the data with a FlexSync client"
    ),
    Folder(
      name: "graphql",
      things: "GraphQL resolvers",
      consequence: "There is no GraphQL endpoint",
      advice: "Read and write with a FlexSync client, or put a GraphQL service of your own in front of one"
    ),
    Folder(
      name: "hosting",
      things: "hosted files",
      consequence: "The files are not served",
      advice: "Serve them by a web server; pages for e-mail confirmation and password reset belong to them"
    ),
    Folder(
      name: "log_forwarders",
      things: "log forwarders",
      consequence: "Logs are not sent elsewhere",
      advice: "Collect the server's own log; --log-format json writes one record per line"
    ),
    Folder(
      name: "services",
      things: "third-party services",
      consequence: "Functions that use them do not exist either",
      advice: "Call the services from where the functions' code goes"
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
        consequence: "Requests to it are answered with status 404",
        advice: "Read and write with a FlexSync client, or put a service of your own with one in its place"
      )
    ]
  }

  // MARK: Parts of files

  /// Query filters, which App Services does not apply to sync either.
  private func filters() -> [MissingPart] {
    guard let sync else { return [] }
    let service = "data_sources/\(sync.serviceName)"
    let collections = sync.databases(reader).flatMap { database in
      reader.directories("\(service)/\(database)").map { "\(service)/\(database)/\($0)" }
    }
    let files = ["\(service)/default_rule.json"] + collections.map { "\($0)/rules.json" }
    return files.compactMap { file in
      guard reader.has(file), let filters = reader.json(file)?.member("filters")?.value.arrayValue,
        !filters.isEmpty
      else { return nil }
      return MissingPart(
        file: file,
        content: "filters are",
        consequence: "They never applied to sync, only to queries of functions and MongoClient",
        advice: "Nothing needs to be done for sync; what may be seen is said by document_filters"
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
        consequence: "New users have no custom data until somebody gives them some",
        advice: "Set them with `flexsyncd users`, or by a client that may write the collection"
      )
    ]
  }

  private func authentication() -> [MissingPart] {
    providers.notCarriedOver.map { type in
      MissingPart(
        file: "auth/providers.json",
        content: "the provider \"\(type)\" is",
        consequence: "Users who log in with it cannot log in",
        advice: type == "custom-function"
          ? "Let your own system issue JSON Web Tokens and enable custom-token"
          : "Take the token of that service in a service of your own, issue a JSON Web Token for it and enable "
            + "custom-token"
      )
    }
  }

  private func otherData() -> [MissingPart] {
    guard let sync else { return [] }
    return reader.directories("data_sources").filter { $0 != sync.serviceName }.map { name in
      MissingPart(
        file: "data_sources/\(name)",
        content: "data of other data sources are",
        consequence: "Only collections of \(sync.serviceName) are served",
        advice: "Import what clients need into collections of that data source"
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
          consequence: "Requests are taken from pages of any origin",
          advice: "Restrict origins in a reverse proxy in front of the server"
        )
      ]
    }
    return []
  }
}
